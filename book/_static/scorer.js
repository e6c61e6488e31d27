// The search lists pages before names of the library and proofs. All weights but the last are those of Sphinx.
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  // 8 ranks the full name of a function before the pages that only use it, and after the pages that are about it
  score: ([page, , , , score]) => score - (/^book\/(reference|proofs|ledger|bibliography)/.test(page) ? 8 : 0),
};
