// On a phone the navigation is a strip: scroll the entry of the current page into view.
const nav = document.querySelector(".nav");
const here = nav?.querySelector("[aria-current]");
if (here) nav.scrollLeft = here.offsetLeft - nav.offsetLeft - (nav.clientWidth - here.offsetWidth) / 2;
