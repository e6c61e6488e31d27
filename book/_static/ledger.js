// Filters of the ledger's table, by source, by verdict and by any word. Without this script the table is simply whole.
document.querySelectorAll(".ledger table").forEach((table) => {
  const rows = [...table.tBodies[0].rows];
  const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
  const bar = document.createElement("p");
  const count = document.createElement("span");
  count.setAttribute("role", "status");

  const labelled = (name, input) => {
    const label = document.createElement("label");
    label.append(`${name} `, input);
    bar.append(label);
    return input;
  };
  const filters = ["source", "verdict"].map((name) => {
    const column = names.indexOf(name);
    const text = (row) => row.cells[column].textContent.trim();
    const select = labelled(name, document.createElement("select"));
    for (const value of ["", ...new Set(rows.map(text))]) select.add(new Option(value || "all", value));
    return { input: select, accepts: (row) => !select.value || text(row) === select.value };
  });
  const words = labelled("words", Object.assign(document.createElement("input"), { type: "search" }));
  const read = new Map(rows.map((row) => [row, row.textContent.toLowerCase()])); // before formulas are set
  const contains = (row) => words.value.toLowerCase().split(/\s+/).every((word) => read.get(row).includes(word));
  filters.push({ input: words, accepts: contains });

  const show = () => {
    for (const row of rows) row.hidden = !filters.every((filter) => filter.accepts(row));
    count.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
  };
  for (const { input } of filters) input.addEventListener("input", show);
  bar.append(count);
  (table.closest(".pst-scrollable-table-container") ?? table).before(bar);
  show();
});
