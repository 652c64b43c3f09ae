// The board as a chart, drawn in the page.
import type { Board } from "./board.js";

const [WIDTH, ROW, LABEL, MARGIN] = [720, 44, 170, 28];

export function chartOf(board: Board): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH * 2;
  canvas.height = (MARGIN * 2 + 40 + board.length * ROW) * 2;
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("this browser cannot draw");
  pen.scale(2, 2);
  pen.fillStyle = "#fbfaf7";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.textBaseline = "middle";
  pen.fillStyle = "#22302f";
  pen.font = "600 18px system-ui, sans-serif";
  pen.fillText("Loaves for tomorrow", MARGIN, MARGIN + 10);
  const most = Math.max(1, ...board.map((order) => order.loaves));
  board.forEach(({ bread, loaves }, at) => {
    const y = MARGIN + 40 + at * ROW;
    const length = ((WIDTH - LABEL - MARGIN * 2 - 40) * loaves) / most;
    pen.font = "14px system-ui, sans-serif";
    pen.fillStyle = "#22302f";
    pen.fillText(bread, MARGIN, y + ROW / 2);
    pen.fillStyle = "#1f5f5b";
    pen.beginPath();
    pen.roundRect(MARGIN + LABEL, y + 10, Math.max(2, length), ROW - 20, 4);
    pen.fill();
    pen.fillStyle = "#51615f";
    pen.fillText(String(loaves), MARGIN + LABEL + length + 10, y + ROW / 2);
  });
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture could not be made"))), "image/png");
  });
}
