// Reads the texts of manifests in parts, each of which is one job for a thread: tenants take turns
// between jobs, and neither the files nor the objects of a large tree are processed at once.

import { createHash } from "node:crypto";
import type { GitFile } from "../../../adapters/git/port.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { HeavyResult, HeavyWork } from "../../../kernel/heavy-work.ts";
import { parseExact } from "../../../kernel/int64.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { readManifestsJob } from "../../../kernel/manifests/read-manifests.ts";
import type { ManifestFiles, ReadManifests } from "../../../kernel/manifests/read-manifests.ts";
import { bytePauses } from "../../../kernel/pauses.ts";
import { gitopsLimits } from "../limits.ts";
import { refused, refusedManifests } from "./refused.ts";
import type { ManifestError, ManifestPlace, Rendered, RenderRefused } from "./renderer.ts";
import type { RenderTool, RenderedObject } from "./renderer.ts";

export interface RenderPorts {
  readonly heavy: HeavyWork;
  readonly clock: Clock;
}

/** With the size of the objects as JSON. */
export interface Sized<Result> {
  readonly result: Result;
  readonly bytes: number;
  /** It depends on files outside of the path. */
  readonly usesRoot?: boolean;
}

export type ManifestFile = Pick<GitFile, "path" | "bytes">;

/** A file that is larger than a part is a part alone. */
export function* partsOf<File extends ManifestFile>(
  files: readonly File[],
): Generator<readonly File[], void> {
  let part: File[] = [];
  let bytes = 0;
  for (const file of files) {
    const isFull = bytes + file.bytes > gitopsLimits.renderPartBytes;
    if (part.length > 0 && (isFull || part.length >= gitopsLimits.renderPartFiles)) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(file);
    bytes += file.bytes;
  }
  if (part.length > 0) yield part;
}

/** Reads manifests part by part. Errors of all parts are collected, up to the bound. */
export class Reading {
  readonly #ports: RenderPorts;
  readonly #tenant: string;
  readonly #tool: RenderTool;
  readonly #startMs: number;
  readonly #objects: RenderedObject[] = [];
  readonly #errors: ManifestError[] = [];
  readonly #pauses: (bytes: number) => Promise<void> | undefined;
  #bytes = 0;

  /** Manifests that a tool printed have no lines of a file. */
  constructor(ports: RenderPorts, tenant: string, tool: RenderTool) {
    this.#ports = ports;
    this.#tenant = tenant;
    this.#tool = tool;
    this.#startMs = ports.clock.nowMs();
    this.#pauses = bytePauses(tenant);
  }

  async part(
    files: readonly ManifestFile[],
    contents: readonly Uint8Array[],
  ): Promise<RenderRefused | undefined> {
    const { renderTimeoutMs, maxManifestErrors } = gitopsLimits;
    if (this.#ports.clock.nowMs() - this.#startMs > renderTimeoutMs) return timedOut();
    const answer = await this.#run(files, contents);
    if ("reason" in answer) return answer;
    const { objects, errors, exceeded } = answer.facts as unknown as ReadManifests;
    if (exceeded !== undefined) return refused("TooLarge", `the path has ${exceeded}`);
    const found = errors.slice(0, maxManifestErrors - this.#errors.length);
    for (const { file, line, message } of found) {
      this.#errors.push({ ...this.#place(file, line), message });
    }
    if (this.#errors.length >= maxManifestErrors) return refusedManifests(this.#errors);
    // After an error only further errors are of interest.
    if (this.#errors.length === 0) await this.#add(answer.bytes, objects);
    return undefined;
  }

  result(): Sized<Rendered | RenderRefused> {
    if (this.#errors.length > 0) return { result: refusedManifests(this.#errors), bytes: 0 };
    const objects = this.#objects;
    // A manifest that moves to another file changes nothing.
    const digests = objects.map(({ digest }) => digest).toSorted();
    const digest = createHash("sha256").update(digests.join("\n")).digest("base64url");
    return {
      result: { kind: "rendered", tool: this.#tool, objects, digest },
      bytes: this.#bytes,
    };
  }

  async #run(
    files: readonly ManifestFile[],
    contents: readonly Uint8Array[],
  ): Promise<HeavyResult | RenderRefused> {
    const { maxDocuments, maxRenderedBytes, maxManifestErrors } = gitopsLimits;
    const job: ManifestFiles = {
      files: files.map(({ path }, index) => ({ path, bytes: contents[index]?.length ?? 0 })),
      maxObjects: maxDocuments - this.#objects.length,
      maxBytes: maxRenderedBytes - this.#bytes,
      maxErrors: maxManifestErrors - this.#errors.length,
    };
    try {
      return await this.#ports.heavy.run({
        name: readManifestsJob,
        tenant: this.#tenant,
        bytes: Buffer.concat(contents),
        options: job as unknown as JsonObject,
      });
    } catch (error) {
      if (isSetpointError(error, "request.overloaded")) {
        return refused("Busy", "too much is being read at the moment");
      }
      if (isSetpointError(error, "request.timeout")) return timedOut();
      if (!isSetpointError(error, "request.too_large")) throw error;
      const [first] = files;
      const where = files.length === 1 && first !== undefined ? `${first.path}: ` : "";
      return refused("TooLarge", `${where}reading the manifests takes too much memory`);
    }
  }

  #place(file: string, line: number | undefined): ManifestPlace {
    return line === undefined || this.#tool !== "Directory" ? { file } : { file, line };
  }

  async #add(bytes: Buffer, objects: ReadManifests["objects"]): Promise<void> {
    let from = 0;
    for (const { file, line, bytes: size, digest } of objects) {
      const object = parseExact(bytes.toString("utf8", from, from + size)) as JsonObject;
      from += size;
      this.#bytes += size;
      this.#objects.push({ object, digest, from: this.#place(file, line) });
      // oxlint-disable-next-line no-await-in-loop -- the event loop belongs to others in between
      await this.#pauses(size);
    }
  }
}

function timedOut(): RenderRefused {
  return refused("TimedOut", "reading the manifests took too long; divide the path");
}
