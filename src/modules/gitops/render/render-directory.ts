// The objects of the manifests in a folder. The files are read in parts, each of which is one job
// for a thread: tenants take turns between jobs, and neither the files nor the objects of a large
// folder are processed at once.

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
import { manifestFiles } from "./choose-files.ts";
import { refused, refusedManifests } from "./refused.ts";
import type {
  ManifestError,
  Rendered,
  RenderInput,
  RenderRefused,
  RenderResult,
  RenderedObject,
} from "./renderer.ts";

export interface RenderPorts {
  readonly heavy: HeavyWork;
  readonly clock: Clock;
}

/** With the size of the objects as JSON. */
export interface Sized<Result> {
  readonly result: Result;
  readonly bytes: number;
}

export async function renderDirectory(
  ports: RenderPorts,
  input: RenderInput,
  signal: AbortSignal,
): Promise<Sized<RenderResult>> {
  const { tree } = input;
  const files = manifestFiles(tree.tree, input.options);
  if ("kind" in files) return { result: files, bytes: 0 };
  const reading = new Reading(ports, input.tenant);
  for (const part of partsOf(files)) {
    signal.throwIfAborted();
    // oxlint-disable-next-line no-await-in-loop -- the parts of one tenant take turns
    const refusal = await reading.part(part, await tree.read(part, signal));
    if (refusal !== undefined) return { result: refusal, bytes: 0 };
  }
  return reading.result();
}

/** A file that is larger than a part is a part alone. */
export function* partsOf(files: readonly GitFile[]): Generator<readonly GitFile[], void> {
  let part: GitFile[] = [];
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

class Reading {
  readonly #ports: RenderPorts;
  readonly #tenant: string;
  readonly #startMs: number;
  readonly #objects: RenderedObject[] = [];
  readonly #errors: ManifestError[] = [];
  readonly #pauses: (bytes: number) => Promise<void> | undefined;
  #bytes = 0;

  constructor(ports: RenderPorts, tenant: string) {
    this.#ports = ports;
    this.#tenant = tenant;
    this.#startMs = ports.clock.nowMs();
    this.#pauses = bytePauses(tenant);
  }

  async part(
    files: readonly GitFile[],
    contents: readonly Uint8Array[],
  ): Promise<RenderRefused | undefined> {
    const { renderTimeoutMs, maxManifestErrors } = gitopsLimits;
    if (this.#ports.clock.nowMs() - this.#startMs > renderTimeoutMs) return timedOut();
    const answer = await this.#run(files, contents);
    if ("reason" in answer) return answer;
    const { objects, errors, exceeded } = answer.facts as unknown as ReadManifests;
    if (exceeded !== undefined) return refused("TooLarge", `the path has ${exceeded}`);
    this.#errors.push(...errors.slice(0, maxManifestErrors - this.#errors.length));
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
      result: { kind: "rendered", tool: "Directory", objects, digest },
      bytes: this.#bytes,
    };
  }

  async #run(
    files: readonly GitFile[],
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

  async #add(bytes: Buffer, objects: ReadManifests["objects"]): Promise<void> {
    let from = 0;
    for (const { file, line, bytes: size, digest } of objects) {
      const object = parseExact(bytes.toString("utf8", from, from + size)) as JsonObject;
      from += size;
      this.#bytes += size;
      this.#objects.push({ object, digest, from: line === undefined ? { file } : { file, line } });
      // oxlint-disable-next-line no-await-in-loop -- the event loop belongs to others in between
      await this.#pauses(size);
    }
  }
}

function timedOut(): RenderRefused {
  return refused("TimedOut", "reading the manifests took too long; divide the path");
}
