// Under each page that a search finds stands the sentence that has most of the words asked for, with these words marked.
// The texts are in sections.js, because a page from the file system cannot be fetched.
document.addEventListener("DOMContentLoaded", () => {
  const LONGEST = 240;
  const results = document.getElementById("search-results");
  const query = new URLSearchParams(location.search).get("q");
  if (!results || !query || !globalThis.dpbi?.sections) return;

  const plain = text => text.toLowerCase();
  const asked = [...new Set(plain(query).match(/[\p{L}\p{N}_.]+/gu) ?? [])];
  const few = "a an and are be by does for from how in is it of on or that the there this to was what which who with";
  const stem = word => (word.length > 4 ? word.replace(/(ies|es|s|y|e)$/, "") : word);
  const terms = asked.filter(word => !few.split(" ").includes(word)).map(stem);
  const starts = word => terms.some(term => plain(word).startsWith(term));
  const WORD = /[\p{L}\p{N}_.]+/gu;
  const hits = sentence => {
    const here = (sentence.match(WORD) ?? []).map(plain);
    return terms.filter(term => here.some(word => word.startsWith(term))).length;
  };

  const best = texts => {
    let found = "", most = 0;
    for (const text of texts)
      for (const sentence of text.split(/(?<=[.?!:;])\s+(?=\S)/)) {
        const count = hits(sentence);
        if (count > most) [found, most] = [sentence, count];
      }
    return found || texts[0]?.split(/(?<=[.?!])\s+(?=\S)/)[0] || "";
  };

  // a long sentence is cut around its first word that was asked for
  const cut = sentence => {
    if (sentence.length <= LONGEST) return sentence;
    const first = [...sentence.matchAll(WORD)].find(([word]) => starts(word))?.index ?? 0;
    const from = first > LONGEST / 2 ? sentence.indexOf(" ", first - LONGEST / 2) + 1 : 0;
    const to = sentence.lastIndexOf(" ", from + LONGEST);
    return `${from ? "… " : ""}${sentence.slice(from, to)}${to < sentence.length ? " …" : ""}`;
  };

  const quote = sentence => {
    const line = document.createElement("p");
    line.className = "context";
    let end = 0;
    for (const match of sentence.matchAll(WORD)) {
      if (!starts(match[0])) continue;
      const mark = document.createElement("mark");
      mark.textContent = match[0].replace(/\.+$/, "");
      line.append(sentence.slice(end, match.index), mark);
      end = match.index + mark.textContent.length;
    }
    line.append(sentence.slice(end));
    return line;
  };

  const answer = item => {
    const link = item.querySelector("a");
    if (!link || item.querySelector("p.context, span")) return; // a function has its description
    const [path, anchor] = decodeURI(link.getAttribute("href")).split("#");
    const page = globalThis.dpbi.sections[path.replace(/\.html$/, "")] ?? [];
    const here = page.filter(([id]) => !anchor || id === anchor);
    const said = cut(best((here.length ? here : page).map(([, text]) => text)));
    if (said) item.append(quote(said));
  };

  new MutationObserver(() => results.querySelectorAll("ul.search > li").forEach(answer))
    .observe(results, { childList: true, subtree: true });
  results.querySelectorAll("ul.search > li").forEach(answer);
});
