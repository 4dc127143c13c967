// Frames of a WebSocket (RFC 6455) as a client reads and writes them. What is read is bounded and
// judged strictly: a frame that is none ends the connection, and a message that is too large is not
// collected.

export type Message =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "ping"; readonly data: Buffer }
  | { readonly kind: "pong" }
  | { readonly kind: "close" };

/** The other side does not keep to the protocol, or goes beyond what is taken. */
export class FrameProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "FrameProblem";
  }
}

const opcodes = { continued: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface FrameReader {
  /** The messages that are whole now. */
  push(chunk: Buffer): readonly Message[];
}

export function frameReader(maxBytes: number): FrameReader {
  let rest: Buffer = Buffer.alloc(0);
  let parts: Buffer[] | undefined;
  let bytes = 0;
  const take = (frame: Frame): Message | undefined => {
    const { opcode, isFinal, data } = frame;
    if (opcode === opcodes.ping) return { kind: "ping", data };
    if (opcode === opcodes.pong) return { kind: "pong" };
    if (opcode === opcodes.close) return { kind: "close" };
    const isFirst = opcode === opcodes.text || opcode === opcodes.binary;
    if (!isFirst && opcode !== opcodes.continued) throw new FrameProblem(`opcode ${opcode}`);
    if (isFirst === (parts !== undefined)) throw new FrameProblem("a message is not continued");
    parts ??= [];
    parts.push(data);
    // Each part costs something, be there nothing in it.
    bytes = (isFirst ? 0 : bytes + 64) + data.length;
    if (bytes > maxBytes) throw new FrameProblem(`a message is larger than ${maxBytes} bytes`);
    if (!isFinal) return undefined;
    const text = Buffer.concat(parts).toString("utf8");
    parts = undefined;
    return { kind: "text", text };
  };
  return {
    push: (chunk) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const messages: Message[] = [];
      for (;;) {
        const frame = frameIn(rest, maxBytes);
        if (frame === undefined) return messages;
        rest = rest.subarray(frame.end);
        const message = take(frame);
        if (message !== undefined) messages.push(message);
      }
    },
  };
}

/** What a client sends is masked. */
export function clientFrame(
  kind: "close" | "ping" | "pong",
  data: Uint8Array,
  mask: Uint8Array,
): Buffer {
  const short = data.subarray(0, 125);
  const masked = short.map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  return Buffer.concat([Buffer.from([0x80 | opcodes[kind], 0x80 | short.length]), mask, masked]);
}

interface Frame {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly data: Buffer;
  /** Where the next one begins. */
  readonly end: number;
}

/** Undefined: it is not whole yet. */
function frameIn(buffer: Buffer, maxBytes: number): Frame | undefined {
  const [first, second] = buffer;
  if (first === undefined || second === undefined) return undefined;
  if ((first & 0x70) !== 0) throw new FrameProblem("an extension that nobody asked for");
  if ((second & 0x80) !== 0) throw new FrameProblem("a masked frame from a server");
  const isFinal = (first & 0x80) !== 0;
  const opcode = first & 0x0f;
  const short = second & 0x7f;
  const isControl = opcode >= opcodes.close;
  if (isControl && (!isFinal || short > 125)) throw new FrameProblem("a wrong control frame");
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (buffer.length < start) return undefined;
  const length =
    short < 126
      ? short
      : short === 126
        ? buffer.readUInt16BE(2)
        : Number(buffer.readBigUInt64BE(2));
  if (length > maxBytes) throw new FrameProblem(`a message is larger than ${maxBytes} bytes`);
  const end = start + length;
  if (buffer.length < end) return undefined;
  return { opcode, isFinal, data: buffer.subarray(start, end), end };
}
