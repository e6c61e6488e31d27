// The filter of the verdicts: by source, by verdict and by any word. The address of the page contains the query, so
// that it can be shared, and a link to the rows of one count sets it. Without this script the page shows all rows.
document.addEventListener("DOMContentLoaded", () => {
  const marks = [...document.querySelectorAll("[id^=verdicts-]")].map((mark) => [mark.id, mark.closest("section")]);
  const sources = marks.filter(([, section]) => section.querySelector("section"));
  const groups = marks.filter(([, section]) => !section.querySelector("section")).map(([id, section]) => {
    const source = sources.find(([, outer]) => outer.contains(section))[0];
    const rows = [...section.querySelectorAll("tbody tr")].map((row) => [row, row.textContent.toLowerCase()]);
    return { id, section, source, verdict: id.slice(source.length + 1), rows, fold: section.querySelector("details") };
  });
  const choice = (pairs) => {
    const select = document.createElement("select");
    for (const [value, text] of [["", "all"], ...pairs]) select.add(new Option(text, value));
    return select;
  };
  const asked = {
    source: choice(sources.map(([id, section]) => [id, section.querySelector("h2").firstChild.textContent])),
    verdict: choice([...new Set(groups.map((each) => each.verdict))].map((word) => [word, word.replaceAll("-", " ")])),
    words: Object.assign(document.createElement("input"), { type: "search" }),
  };
  const bar = Object.assign(document.createElement("p"), { className: "asked" });
  const count = Object.assign(document.createElement("span"), { role: "status" });
  for (const [name, input] of Object.entries(asked)) {
    const label = document.createElement("label");
    label.append(`${name} `, input);
    input.addEventListener("input", () => {
      const set = Object.entries(asked).filter(([, { value }]) => value).map(([key, { value }]) => [key, value]);
      history.replaceState(null, "", `#${new URLSearchParams(set)}`);
      show();
    });
    bar.append(label);
  }
  sources[0][1].before(bar);
  bar.append(count);
  function show() {
    const [source, verdict, words] = Object.values(asked).map(({ value }) => value);
    const wanted = words.toLowerCase().split(/\s+/);
    let shown = 0;
    for (const group of groups) {
      const inside = (!source || group.source === source) && (!verdict || group.verdict === verdict);
      for (const [row, text] of group.rows) row.hidden = !(inside && wanted.every((word) => text.includes(word)));
      const found = group.rows.filter(([row]) => !row.hidden).length;
      group.section.hidden = !found;
      if (group.fold) group.fold.open = Boolean(verdict || words);
      shown += found;
    }
    for (const [id, section] of sources) section.hidden = groups.every((group) => group.source !== id || group.section.hidden);
    const hint = shown ? "" : "; clear a field to see more";
    count.textContent = `${shown} of ${groups.flatMap(({ rows }) => rows).length} rows${hint}`;
    document.dispatchEvent(new Event("toggle")); // formulas that were hidden may be too wide
  }
  function read() {
    const group = groups.find(({ id }) => id === location.hash.slice(1));
    const set = group ?? Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    for (const name in asked) asked[name].value = set[name] ?? "";
    show();
    if (group) setTimeout(() => bar.scrollIntoView(), 100); // after the browser has scrolled to the rows
  }
  addEventListener("hashchange", read);
  read();
});
