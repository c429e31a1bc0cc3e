// The causes in the bar: asked for where the page came without them, then every half a minute while the page is visible.
const EVERY_MS = 30_000;
const box = document.getElementById("alerts");

async function ask() {
  if (document.hidden) return;
  try {
    const answer = await fetch(box.dataset.url, { headers: { "X-Requested-With": "fetch" }, redirect: "error" });
    if (answer.status !== 200) return;
    const text = await answer.text();
    if (box.innerHTML !== text) box.innerHTML = text;
  } catch { /* The server is away, or nobody is signed in any more: the bar stays as it is. */ }
}

if (box) {
  if (!("known" in box.dataset)) ask();
  setInterval(ask, EVERY_MS);
  document.addEventListener("visibilitychange", ask);
}
