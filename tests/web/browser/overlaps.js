// What overlaps or is cut off on the page, in words; nothing when all is well.
() => {
  const seen = (one) => {
    const box = one.getBoundingClientRect();
    const style = getComputedStyle(one);
    return box.width > 1 && box.height > 1 && style.visibility !== 'hidden' ? box : null;
  };
  const name = (one) => `${one.tagName}.${one.getAttribute('class') ?? ''} ${one.textContent.slice(0, 30)}`;
  const faults = [];
  const apart = (group) => {
    const boxes = group.map((one) => [one, seen(one)]).filter(([, box]) => box);
    boxes.forEach(([one, a], at) => boxes.slice(at + 1).forEach(([other, b]) => {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1.5 && down > 1.5) faults.push(`${name(one)} over ${name(other)}`);
    }));
  };
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  apart(all('.panel'));
  apart(all('.fact'));
  apart(all('.rail .control, .rail fieldset'));
  apart(all('.top > *, .top nav > *').filter((one) => !one.querySelector('nav') && one.tagName !== 'NAV'));
  for (const panel of all('.panel')) apart(all(':scope > *', panel));
  for (const header of all('.panel header')) apart(all(':scope > *', header));
  for (const plot of all('svg.plot')) apart(all('text', plot));
  for (const screen of all('main.screen, main.desk, main.door')) apart(all(':scope > *', screen));
  for (const one of all('h1, h2, dt, dd, label, button, .caption, .note')) {
    if (seen(one) && one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 1) faults.push(`cut off: ${name(one)}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push(`wider than the window: ${document.documentElement.scrollWidth}`);
  return faults;
}
