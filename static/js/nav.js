// On a phone the navigation is a strip: the place where one is stays in sight.
const nav = document.querySelector(".nav");
const here = nav?.querySelector("[aria-current]");
if (here) nav.scrollLeft = here.offsetLeft - nav.offsetLeft - (nav.clientWidth - here.offsetWidth) / 2;
