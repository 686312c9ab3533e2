// Remember the frames in which bars appeared on the canvas.
() => {
  window.ink = [];
  const look = (now) => {
    const canvas = document.querySelector('.trial canvas');
    if (canvas && canvas.width) {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let bright = 0;
      for (let i = 0; i < data.length; i += 40) if (data[i] > 200) bright += 1;
      const bars = bright > 60;
      if (bars && !window.bars) window.ink.push(now);
      window.bars = bars;
    } else window.bars = false;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
