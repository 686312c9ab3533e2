/* The theme leaves the arrows that unfold a part of the navigation without a name. */
document.addEventListener("DOMContentLoaded", () => {
  for (const summary of document.querySelectorAll("li.has-children > details > summary")) {
    const link = summary.closest("li").querySelector("a");
    summary.setAttribute("aria-label", `Pages under ${link.textContent.trim()}`);
  }
});
