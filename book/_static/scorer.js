// The search puts a page before a name of the library or a proof. All but the last entry are Sphinx's own weights.
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  // 8: the full name of a function stays before pages that only use it, and falls behind those that are about it
  score: ([page, , , , score]) => score - (/^book\/(reference|proofs|ledger|bibliography)/.test(page) ? 8 : 0),
};
