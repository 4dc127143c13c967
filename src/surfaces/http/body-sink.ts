// Where a body that comes bit by bit is written to, plain or compressed on its way: as fast as the
// client takes it and no faster, so that its size is no matter of memory.

import { once } from "node:events";
import { createGzip } from "node:zlib";
import type { BodyStream } from "./outflow.ts";

export interface BodySink {
  /** Resolves once more may be written. */
  write(bytes: Buffer): Promise<void>;
  /** Resolves when everything was handed on. */
  end(): Promise<void>;
}

export function plainSink(stream: BodyStream): BodySink {
  return {
    write: async (bytes) => {
      if (!stream.write(bytes)) await stream.drained();
    },
    end: async () => stream.end(),
  };
}

export function gzipSink(stream: BodyStream, level: number): BodySink {
  const gzip = createGzip({ level });
  gzip.on("data", (bytes: Buffer) => {
    if (stream.write(bytes)) return;
    gzip.pause();
    // A client that is gone drains at once; what is left then is compressed for nobody.
    void stream.drained().then(() => gzip.resume());
  });
  return {
    write: async (bytes) => {
      if (!gzip.write(bytes)) await once(gzip, "drain");
    },
    end: async () => {
      const ended = once(gzip, "end");
      gzip.end();
      await ended;
      stream.end();
    },
  };
}
