// The shapes of all icons, as paths in a box of 16 by 16. Each state has a shape of its own, and is
// recognised without its colour.

export interface Shape {
  readonly paths: readonly {
    readonly d: string;
    /** Filled with the colour of the text. */
    readonly isFilled?: boolean;
    /** Drawn on a filled part. */
    readonly isCut?: boolean;
    readonly dash?: string;
    readonly width?: number;
    readonly isFaint?: boolean;
    readonly isTurning?: boolean;
  }[];
}

const line = (...lines: readonly string[]): Shape => ({ paths: lines.map((d) => ({ d })) });
const disc = "M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1z";

export const shapes = {
  ready: {
    paths: [
      { d: disc, isFilled: true },
      { d: "M5 8.200l2.100 2.100L11 6.200", isCut: true },
    ],
  },
  progressing: {
    paths: [
      { d: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2z", isFaint: true },
      { d: "M8 2a6 6 0 0 1 6 6", width: 2, isTurning: true },
    ],
  },
  waiting: line(
    "M4 2h8M4 14h8",
    "M5 2c0 3.600 3 4 3 6s-3 2.400-3 6M11 2c0 3.600-3 4-3 6s3 2.400 3 6",
  ),
  failed: {
    paths: [
      { d: "M5.200 1h5.600L15 5.200v5.600L10.800 15H5.200L1 10.800V5.200z", isFilled: true },
      { d: "M5.800 5.800l4.400 4.400M10.200 5.800l-4.400 4.400", isCut: true },
    ],
  },
  paused: line(
    "M4 2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2z",
    "M6.300 6v4M9.700 6v4",
  ),
  deleting: line("M2.500 4.500h11M6 4V2.500h4V4M4 4.500l.7 9h6.600l.7-9", "M6.800 7v4M9.200 7v4"),
  drifted: {
    paths: [
      { d: "M8 .6L15.400 8 8 15.400.6 8z", isFilled: true },
      { d: "M4.800 8.800c1-1.800 2.200-1.800 3.200-.8s2.200 1 3.200-.8", isCut: true },
    ],
  },
  unknown: {
    paths: [
      { d: "M8 1.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13z", dash: "2.500 2.600" },
      { d: "M6.600 6.500A1.500 1.500 0 1 1 8 8.300v.5M8 11.200v.01" },
    ],
  },
  stored: line(
    "M8 2c3.300 0 5.500 1 5.500 2.200S11.300 6.400 8 6.400 2.500 5.400 2.500 4.200 4.700 2 8 2z",
    "M2.500 4.200v7.600C2.500 13 4.700 14 8 14s5.500-1 5.500-2.200V4.200",
  ),

  overview: line("M2 13V8M6 13V3M10 13V6M14 13v-3"),
  explorer: line("M2 4h12M2 8h12M2 12h8"),
  environments: line(
    "M3.500 6a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM12.500 1.500a2 2 0 1 1 0 4 2 2 0 0 1 0-4z",
    "M12.500 10.500a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM5.300 7l5.400-2.600M5.300 9l5.400 2.600",
  ),
  fleet: line("M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z"),
  gitops: line(
    "M4 1.800a1.700 1.700 0 1 1 0 3.400 1.700 1.700 0 0 1 0-3.400z",
    "M4 10.800a1.700 1.700 0 1 1 0 3.400 1.700 1.700 0 0 1 0-3.400z",
    "M12 3.300a1.700 1.700 0 1 1 0 3.400 1.700 1.700 0 0 1 0-3.400z",
    "M4 5.200v5.600M12 6.700C12 9.500 4 8 4 10.800",
  ),
  connect: line(
    "M6 10l4-4M4.500 8L3 9.500A2.500 2.500 0 0 0 6.500 13L8 11.500",
    "M8 4.500L9.500 3A2.500 2.500 0 0 1 13 6.500L11.500 8",
  ),
  providers: line("M8 1.500l6 3.200v6.600l-6 3.200-6-3.200V4.700z", "M2.300 5L8 8l5.700-3M8 8v6"),
  activity: line("M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2z", "M8 4.500V8l2.500 1.500"),
  reference: line(
    "M3 2.500h4c.6 0 1 .4 1 1V14c0-.6-.4-1-1-1H3z",
    "M13 2.500H9c-.6 0-1 .4-1 1V14c0-.6.4-1 1-1h4z",
  ),
  settings: line(
    "M2 5h7M13 5h1M2 11h1M7 11h7",
    "M11 3.300a1.700 1.700 0 1 1 0 3.400 1.700 1.700 0 0 1 0-3.400z",
    "M5 9.300a1.700 1.700 0 1 1 0 3.400 1.700 1.700 0 0 1 0-3.400z",
  ),
  search: line("M7 2.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9z", "M10.500 10.500L14 14"),
  down: line("M4 6l4 4 4-4"),
  up: line("M4 10l4-4 4 4"),
  right: line("M6 4l4 4-4 4"),
  more: { paths: [{ d: "M3 8h.01M8 8h.01M13 8h.01", width: 2.4 }] },
  close: line("M4 4l8 8M12 4l-8 8"),
  check: line("M3 8.500l3.200 3.200L13 5"),
  copy: line(
    "M6 6h6.500a1 1 0 0 1 1 1v6.500a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1z",
    "M3 10.500a1 1 0 0 1-1-1V3a1 1 0 0 1 1-1h6.500a1 1 0 0 1 1 1",
  ),
  menu: line("M2 4h12M2 8h12M2 12h12"),
  change: line("M3 13l.800-3L10.500 3.300l2.200 2.200L6 12.200z"),
  event: line("M8 2a4 4 0 0 1 4 4v3l1.500 2.500h-11L4 9V6a4 4 0 0 1 4-4z", "M6.500 13.800h3"),
  plus: line("M8 3v10M3 8h10"),
  minus: line("M3 8h10"),
  external: line("M9 2.500h4.500V7M13.500 2.500L7.500 8.500", "M6 3.500H3v9.500h9.500V10"),
  columns: line("M2 3h12v10H2zM6 3v10M10 3v10"),
  logo: {
    paths: [
      { d: "M.5 5.500h15", dash: "2 1.800", isFaint: true, width: 1.2 },
      { d: "M.5 13h1.700C4 13 4 3 6.500 3S8.700 7 10 7s1.500-1.500 3-1.500h2.500", width: 1.6 },
    ],
  },
} as const satisfies Readonly<Record<string, Shape>>;

export type ShapeName = keyof typeof shapes;
