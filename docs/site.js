// Tables that scroll sideways can be reached and scrolled with the keyboard.
document$.subscribe(() =>
  requestAnimationFrame(() => {
    for (const wrap of document.querySelectorAll(".md-typeset__scrollwrap")) {
      wrap.tabIndex = 0;
    }
  }),
);
