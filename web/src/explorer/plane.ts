// The plane of two locations: where the observer keeps looking, and where it answers.

import * as Plot from "@observablehq/plot";
import type { BoundaryAnswer, Curve } from "./answers";
import { BELOW, CLASSES, COLOUR, GRID, LEFT, plot, type Class, type Point } from "./drawing";
import type { Picture, Row } from "./panel";

function points(curve: Curve, plane: readonly [number, number]): Point[] {
  const [first, second] = plane.map((place) => curve[`Z${place + 1}`] ?? []);
  return first!.map((z, i) => [z, second![i]!] as Point);
}

/** How far the axes of the plane go: all of both boundaries, and the same along both axes. */
function extent(curves: Point[][]): [number, number] {
  const values = curves.flat(2).filter(Number.isFinite);
  const top = Math.max(2, ...values);
  const high = top + Math.max(1.2, 0.12 * (top - Math.min(-3, ...values)));
  const low = Math.min(-3, ...values.map((value) => Math.max(value, -1.9 * high)));
  return [low, high];
}

/** A boundary up to the edges: where it ends, one location is ruled out and the other stays where it is. */
function continued(curve: Point[], [low]: [number, number]): Point[] {
  const [first, last] = [curve[0], curve.at(-1)];
  return first && last ? [[low, first[1]], ...curve, [last[0], low]] : [];
}

/** The part of the plane beyond a boundary, as a polygon. */
function region(curve: Point[], reach: [number, number], side: Class): Point[] {
  const [low, high] = reach;
  const edge = continued(curve, reach);
  return side === "present" ? [...edge, [high, low], [high, high], [low, high]] : [...edge, [low, low]];
}

/** The optimal boundary, with the regions named; the boundary of the chosen strategy dashed. */
export function planePicture(best: BoundaryAnswer, chosen: BoundaryAnswer | null, bestName: string): Picture {
  const sides = CLASSES.map((side) => ({ side, curve: points(best[side], best.plane) }));
  const dashed = chosen ? CLASSES.map((side) => points(chosen[side], chosen.plane)) : [];
  const reach = extent([...sides.map(({ curve }) => curve), ...dashed]);
  const [low, high] = reach;
  const top = Math.max(...sides[0]!.curve.map(([, y]) => y), low);
  const [first, second] = best.plane.map((place) => place + 1);
  const absent = sides[1]!.curve;
  const corner = absent.length ? Math.max(...absent.map(([x, y]) => Math.min(x, y))) : low;
  const labels = [
    { x: high - 0.3, y: high - 0.55 * (high - top), text: "say “present”", fill: COLOUR.present, anchor: "end" as const },
    ...(absent.length ? [{ x: low, y: low + 0.5, text: " say “absent”", fill: COLOUR.absent, anchor: "start" as const }] : []),
    { x: Math.max(corner, low) / 2 + 0.6, y: Math.max(corner, low) / 2 + 1, text: "keep looking", fill: "var(--soft)", anchor: "middle" as const },
  ];
  const draw = (width: number, height: number): SVGSVGElement => {
    const [beside, above] = [LEFT + 14, BELOW + 12];
    const span = Math.max(120, Math.min(width - beside, height - above));
    const around = Math.max(0, width - beside - span) / 2;
    return plot(width, span + above, {
      marginLeft: LEFT + around,
      marginRight: 14 + around,
      x: { domain: reach, label: `evidence for a target at location ${first} (nats)`, labelAnchor: "center", labelArrow: "none", ticks: 6 },
      y: { domain: reach, label: `at location ${second} (nats)`, labelAnchor: "center", labelArrow: "none", ticks: 6 },
      marks: [
        ...attentionMarks(best, reach),
        ...sides.map(({ side, curve }) =>
          Plot.line(region(curve, reach, side), { fill: `var(--${side}-wash)`, stroke: "none", clip: true }),
        ),
        Plot.ruleX([0], GRID),
        Plot.ruleY([0], GRID),
        ...sides.map(({ side, curve }) => Plot.line(continued(curve, reach), { stroke: COLOUR[side], strokeWidth: 2.2, clip: true })),
        ...dashed.map((curve) =>
          Plot.line(continued(curve, reach), { stroke: "var(--ink)", strokeWidth: 1.4, strokeDasharray: "5 4", clip: true }),
        ),
        Plot.frame({ stroke: "var(--line)" }),
        ...labels.map((label) =>
          Plot.text([label], {
            x: "x", y: "y", text: "text", fill: label.fill, textAnchor: label.anchor, fontSize: 13, fontStyle: "italic",
            fontFamily: "var(--serif)", stroke: "var(--panel)", strokeWidth: 4,
          }),
        ),
      ],
    });
  };
  const rows: Row[] = [];
  for (const answer of chosen ? [best, chosen] : [best]) {
    for (const side of CLASSES) {
      for (const [x, y] of points(answer[side], answer.plane)) {
        rows.push({ strategy: answer.strategy, boundary: side, [`Z${first}`]: x, [`Z${second}`]: y });
      }
    }
  }
  const words =
    `Plane of the evidence at locations ${first} and ${second}. Towards the upper right the observer says “present”, ` +
    `towards the lower left “absent”, between the two boundaries (${bestName}) it keeps looking.`;
  return { draw, rows, words };
}

function attentionMarks(best: BoundaryAnswer, [low, high]: [number, number]): Plot.Markish[] {
  const field = best.attention;
  if (!field) return [];
  const cells = field.Z1.flatMap((x, i) =>
    field.Z2.map((y, j) => ({ x, y, share: field.share[i]?.[j] ?? null })),
  ).filter((cell) => cell.share !== null && cell.x >= low && cell.y >= low && cell.x <= high && cell.y <= high);
  const step = (axis: number[]): number => (axis.length > 1 ? Math.abs(axis[1]! - axis[0]!) : 1) / 2;
  const [dx, dy] = [step(field.Z1), step(field.Z2)];
  return [
    Plot.rect(cells, {
      x1: (cell: { x: number }) => cell.x - dx,
      x2: (cell: { x: number }) => cell.x + dx,
      y1: (cell: { y: number }) => cell.y - dy,
      y2: (cell: { y: number }) => cell.y + dy,
      fill: "var(--accent)",
      fillOpacity: (cell: { share: number }) => 0.03 + 0.22 * cell.share,
      clip: true,
      shapeRendering: "crispEdges",
    }),
  ];
}
