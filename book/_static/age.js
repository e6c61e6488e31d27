// The age of recorded results: every date of one, followed by the days since. Without this script the date stands alone.
document.addEventListener("DOMContentLoaded", () => {
  for (const time of document.querySelectorAll("time[datetime]")) {
    const days = Math.floor((Date.now() - Date.parse(time.dateTime)) / 86_400_000);
    if (days >= 0) time.append(days === 0 ? " (today)" : ` (${days} ${days === 1 ? "day" : "days"} ago)`);
  }
});
