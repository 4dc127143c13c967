// What a reconciler is given: the scope of its run and the parts of the engine, in the words of
// reconciler.ts. It is made for every run, so it holds nothing but the run and makes the rest when
// asked. Whatever it gives may be taken apart: authors write `{ perform, signal }: Context`.

import type { Clock } from "../../kernel/clock.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Random } from "../../kernel/random.ts";
import type { Resource, ResourceKey } from "../../kernel/resource.ts";
import type { Position } from "../../store/port.ts";
import { showProgress } from "../journal/progress.ts";
import type {
  ChildDocument,
  Children,
  Context,
  Reference,
  References,
  RunLog,
  Tracer,
} from "../reconciler.ts";
import { readRecord } from "./read-record.ts";
import type { Run } from "./run.ts";
import { mergedStatus } from "./settle.ts";
import { attemptsOf, reconcileStatusOf, statusOf, textOf } from "./status.ts";

export class RunContext implements Context {
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get token(): number {
    return this.#run.claim.token;
  }

  get attempt(): number {
    const resource = this.#run.current();
    return attemptsOf(statusOf(resource), resource.metadata.generation) + 1;
  }

  get clock(): Clock {
    return this.#run.around.ports.clock;
  }

  get random(): Random {
    return this.#run.around.ports.random;
  }

  get log(): RunLog {
    const { key, around } = this.#run;
    const { log } = around.ports;
    const named = { kind: key.kind, namespace: key.namespace, name: key.name };
    return {
      debug: (fields, message) => log.debug({ ...named, ...fields }, message),
      info: (fields, message) => log.info({ ...named, ...fields }, message),
      warn: (fields, message) => log.warn({ ...named, ...fields }, message),
    };
  }

  get tracer(): Tracer {
    return this.#run.around.ports.tracer;
  }

  get status(): Context["status"] {
    const run = this.#run;
    return {
      patch: async (fields) => {
        await run.update((resource) =>
          withStatus(resource, mergedStatus(statusOf(resource), fields)),
        );
      },
    };
  }

  get children(): Children {
    return childrenOf(this.#run);
  }

  get references(): References {
    return this.#run.references;
  }

  get externalId(): string | undefined {
    return textOf(reconcileStatusOf(statusOf(this.#run.current())).externalId);
  }

  get rememberExternalId(): Context["rememberExternalId"] {
    return async (id) => {
      if (this.externalId !== id) await this.#note({ externalId: id });
    };
  }

  get remember(): Context["remember"] {
    return this.#run.steps.remember;
  }

  get perform(): Context["perform"] {
    return this.#run.steps.perform;
  }

  get progress(): Context["progress"] {
    return async (progress) => await showProgress(this.#run, progress);
  }

  get outside(): Context["outside"] {
    const run = this.#run;
    return async (system, call) => await run.around.parts.outside(run, system, call);
  }

  get event(): Context["event"] {
    const run = this.#run;
    return (type, reason, message) => run.around.parts.event(run, type, reason, message);
  }

  async #note(fields: JsonObject): Promise<void> {
    await this.#run.update((resource) => {
      const status = statusOf(resource);
      const reconcile = { ...reconcileStatusOf(status), ...fields } as JsonObject;
      return withStatus(resource, { ...status, reconcile });
    });
  }
}

export function withStatus(resource: Resource, status: JsonObject): Resource {
  return { ...resource, status };
}

function childrenOf(run: Run): Children {
  const { ports } = run.around;
  const change = (): {
    readonly owner: Resource;
    readonly ownerKey: ResourceKey;
    readonly claim: Run["claim"];
  } => ({ owner: run.current(), ownerKey: run.key, claim: run.claim });
  return {
    apply: async (document: ChildDocument) =>
      await fenced(run, async () => await ports.resources.applyChild({ ...change(), document })),
    delete: async (child: Reference) => {
      const { kind, namespace = run.key.namespace, name } = child;
      const key = { kind, namespace, name };
      return await fenced(run, async () => await ports.resources.deleteChild({ ...change(), key }));
    },
    list: async (kind: string) => await listChildren(run, kind),
  };
}

/** The write path checks the claim too; when it says that it is lost, this run is over. */
async function fenced<T>(run: Run, write: () => Promise<T>): Promise<T> {
  run.signal.throwIfAborted();
  try {
    return await write();
  } catch (error) {
    if (isSetpointError(error, "claim.lost")) run.abort("lost");
    throw error;
  }
}

async function listChildren(run: Run, kind: string): Promise<readonly Resource[]> {
  const { store, resources } = run.around.ports;
  const found: Resource[] = [];
  let from: Position | undefined;
  do {
    run.signal.throwIfAborted();
    const page = await store.list({
      kind,
      owner: run.uid,
      ...(from === undefined ? {} : { from }),
    });
    for (const record of page.records) found.push(await readRecord(resources, record));
    from = page.next;
  } while (from !== undefined);
  return found;
}
