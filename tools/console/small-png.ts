// Writes a screenshot with at most 256 colours, which halves its size. The pages have few colours;
// those of smoothed letters that are rare become the nearest frequent one.
import { crc32, deflateSync, inflateSync } from "node:zlib";

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const maxColours = 256;

interface Picture {
  readonly width: number;
  readonly height: number;
  /** One number for each pixel: red, green and blue in 8 bits each. */
  readonly colours: Uint32Array;
}

/** Takes what Chromium writes: 8 bits per channel, with or without alpha, not interlaced. */
export function smallPng(png: Buffer): Buffer {
  const { width, height, colours } = decode(png);
  const palette = paletteOf(colours);
  const places = new Map(palette.map((colour, place) => [colour, place]));
  const rows = Buffer.alloc((width + 1) * height);
  for (const [at, colour] of colours.entries()) {
    let place = places.get(colour);
    if (place === undefined) {
      place = nearest(palette, colour);
      places.set(colour, place);
    }
    rows[Math.floor(at / width) * (width + 1) + 1 + (at % width)] = place;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits, with a palette.
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flatMap(channels))),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function decode(png: Buffer): Picture {
  const parts: Buffer[] = [];
  for (let at = signature.length; at < png.length; at += png.readUInt32BE(at) + 12) {
    const data = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(data);
  }
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const size = png[25] === 6 ? 4 : 3;
  const bytes = unfilter(inflateSync(Buffer.concat(parts)), width * size, size);
  const colours = new Uint32Array(width * height);
  for (const at of colours.keys()) colours[at] = bytes.readUIntBE(at * size, 3);
  return { width, height, colours };
}

/** Each row begins with the number of its filter, which adds what is left of it and above it. */
function unfilter(raw: Buffer, rowSize: number, size: number): Buffer {
  const bytes = Buffer.alloc((raw.length / (rowSize + 1)) * rowSize);
  for (let row = 0; row * rowSize < bytes.length; row += 1) {
    const filter = raw[row * (rowSize + 1)] ?? 0;
    for (let column = 0; column < rowSize; column += 1) {
      const at = row * rowSize + column;
      const left = column < size ? 0 : (bytes[at - size] ?? 0);
      const above = row === 0 ? 0 : (bytes[at - rowSize] ?? 0);
      const corner = row === 0 || column < size ? 0 : (bytes[at - rowSize - size] ?? 0);
      const expected = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter];
      bytes[at] = (raw[row * (rowSize + 1) + 1 + column] ?? 0) + (expected ?? 0);
    }
  }
  return bytes;
}

function paeth(left: number, above: number, corner: number): number {
  const [byLeft, byAbove] = [Math.abs(above - corner), Math.abs(left - corner)];
  const byCorner = Math.abs(left + above - 2 * corner);
  if (byLeft <= byAbove && byLeft <= byCorner) return left;
  return byAbove <= byCorner ? above : corner;
}

function paletteOf(colours: Uint32Array): readonly number[] {
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const frequent = [...counts].sort(([, one], [, other]) => other - one);
  return frequent.slice(0, maxColours).map(([colour]) => colour);
}

function nearest(palette: readonly number[], colour: number): number {
  const wanted = channels(colour);
  const distances = palette.map((each) =>
    channels(each).reduce((sum, value, at) => sum + (value - (wanted[at] ?? 0)) ** 2, 0),
  );
  return distances.indexOf(Math.min(...distances));
}

function channels(colour: number): readonly number[] {
  return [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];
}

function chunk(name: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
