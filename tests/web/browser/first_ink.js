// Remember all frames, and the numbers of those in which bars appeared on the canvas.
() => {
  window.frameTimes = [];
  window.ink = [];
  const look = (now) => {
    const canvas = document.querySelector('.trial canvas');
    let bars = false;
    if (canvas && canvas.width) {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let bright = 0;
      for (let i = 0; i < data.length; i += 40) if (data[i] > 200) bright += 1;
      bars = bright > 60;
    }
    if (bars && !window.bars) window.ink.push(window.frameTimes.length);
    window.bars = bars;
    window.frameTimes.push(now);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
