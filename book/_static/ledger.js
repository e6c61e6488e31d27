// Filters of the ledger's table, by source and by verdict. Without this script the table is simply whole.
document.querySelectorAll(".ledger table").forEach((table) => {
  const rows = [...table.tBodies[0].rows];
  const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
  const bar = document.createElement("p");
  const count = document.createElement("span");
  count.setAttribute("role", "status");

  const choices = ["source", "verdict"].map((name) => {
    const column = names.indexOf(name);
    const text = (row) => row.cells[column].textContent.trim();
    const select = document.createElement("select");
    for (const value of ["", ...new Set(rows.map(text))]) select.add(new Option(value || "all", value));
    const label = document.createElement("label");
    label.append(`${name} `, select, " ");
    bar.append(label);
    return { select, accepts: (row) => !select.value || text(row) === select.value };
  });

  const show = () => {
    for (const row of rows) row.hidden = !choices.every((choice) => choice.accepts(row));
    count.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
  };
  choices.forEach((choice) => choice.select.addEventListener("change", show));
  bar.append(count);
  table.before(bar);
  show();
});
