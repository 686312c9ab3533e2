// Press a key at given delays after the onsets that the page tells, and remember what was pressed.
(delays) => {
  window.pressed = [];
  document.addEventListener('popout-onset', ({ detail }) => {
    const delay = delays[window.pressed.length % delays.length];
    const wait = () => {
      if (performance.now() - detail.onset < delay) return setTimeout(wait, 0);
      const event = new KeyboardEvent('keydown', { key: 'j', bubbles: true });
      window.pressed.push({ ...detail, delay, after: event.timeStamp - detail.onset });
      document.dispatchEvent(event);
    };
    wait();
  });
}
