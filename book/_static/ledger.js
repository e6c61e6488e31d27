// Filters of the tables of verdicts, by verdict and by any word, and an order by a click on a head. What is asked stands
// in the page's address, so that it can be sent to somebody. Without this script the tables are simply whole.
const asked = new URLSearchParams(location.hash.slice(1));

document.querySelectorAll(".ledger table").forEach((table) => {
  const rows = [...table.tBodies[0].rows];
  const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
  const place = table.closest("section[id]")?.id ?? "";
  const bar = document.createElement("p");
  const count = document.createElement("span");
  count.setAttribute("role", "status");

  const filter = (name, input) => {
    const label = document.createElement("label");
    label.append(`${name} `, input);
    bar.append(label);
    const key = `${place}-${name}`;
    input.value = asked.get(key) ?? "";
    input.addEventListener("input", () => {
      if (input.value) asked.set(key, input.value);
      else asked.delete(key);
      history.replaceState(null, "", `#${asked}`);
      show();
    });
  };
  const verdict = (row) => row.cells[names.indexOf("verdict")].textContent.trim();
  const select = document.createElement("select");
  for (const value of ["", ...new Set(rows.map(verdict))]) select.add(new Option(value || "all", value));
  filter("verdict", select);
  const read = new Map(rows.map((row) => [row, row.textContent.toLowerCase()])); // before formulas are set
  const words = Object.assign(document.createElement("input"), { type: "search" });
  filter("words", words);
  const wanted = (row) =>
    (!select.value || verdict(row) === select.value) &&
    words.value.toLowerCase().split(/\s+/).every((word) => read.get(row).includes(word));

  function show() {
    for (const row of rows) row.hidden = !wanted(row);
    count.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
    document.dispatchEvent(new Event("toggle")); // formulas that were hidden may be too wide by now
  }
  names.forEach((name, column) => {
    const head = table.tHead.rows[0].cells[column];
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: name, title: "sort" });
    button.addEventListener("click", () => {
      const falling = head.ariaSort === "ascending";
      for (const cell of table.tHead.rows[0].cells) cell.ariaSort = null;
      head.ariaSort = falling ? "descending" : "ascending";
      const text = (row) => row.cells[column].textContent.trim();
      rows.sort((a, b) => text(a).localeCompare(text(b), "en", { numeric: true }) * (falling ? -1 : 1));
      table.tBodies[0].append(...rows);
    });
    head.replaceChildren(button);
  });
  bar.append(count);
  (table.closest(".pst-scrollable-table-container") ?? table).before(bar);
  show();
});
