// The zone of this browser, with one press.
const button = document.querySelector("[data-own-zone]");
const field = document.querySelector("[list=zones]");
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (button && zone) {
  const label = button.textContent.replace("%zone", zone);
  const offer = () => { button.hidden = field.value === zone; };
  button.textContent = label;
  button.addEventListener("click", () => { field.value = zone; offer(); field.focus(); });
  field.addEventListener("input", offer);
  offer();
}
