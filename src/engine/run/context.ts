// What a reconciler is given: the scope of its run and the parts of the engine, in the words of
// reconciler.ts. It is made for every run, so it holds nothing but the run and makes the rest when
// asked. Whatever it gives may be taken apart: authors write `{ perform, signal }: Context`.

import type { Clock } from "../../kernel/clock.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Random } from "../../kernel/random.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { Position } from "../../store/port.ts";
import { showProgress } from "../journal/progress.ts";
import { checkServed } from "../journal/references.ts";
import type {
  ChildDocument,
  Children,
  Context,
  Reference,
  References,
  RunLog,
  RunMetrics,
  Tracer,
} from "../reconciler.ts";
import type { ChildChange } from "../ports.ts";
import { ownMetrics } from "./own-metrics.ts";
import { withStatus } from "./document-edits.ts";
import { readRecord } from "./read-record.ts";
import type { Run } from "./run.ts";
import { mergedStatus } from "./settle.ts";
import { shownError, shownLog, shownStatus, shownText } from "./shown.ts";
import { attemptsOf, reconcileStatusOf, statusOf, textOf } from "./status.ts";

const longestId = 4_096;

/** The run of a context; undefined when the context is not of an engine of this process. */
export let runOf: (context: Context) => Run | undefined;

export class RunContext implements Context {
  readonly #run: Run;

  // A function of this file instead of a property: authors of user modules must not reach the run.
  static {
    runOf = (context) => (#run in context ? context.#run : undefined);
  }

  constructor(run: Run) {
    this.#run = run;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get superseded(): AbortSignal {
    return this.#run.superseded;
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
    return shownLog(this.#run);
  }

  get tracer(): Tracer {
    return this.#run.around.ports.tracer;
  }

  get metrics(): RunMetrics {
    return ownMetrics(this.#run.around.ports.meter);
  }

  get status(): Context["status"] {
    const run = this.#run;
    return {
      patch: (fields) =>
        kept(
          run,
          async () =>
            void (await run.update((resource) =>
              withStatus(resource, mergedStatus(statusOf(resource), shownStatus(run, fields))),
            )),
        ),
    };
  }

  get children(): Children {
    return childrenOf(this.#run);
  }

  get references(): References {
    const run = this.#run;
    return { get: (reference) => kept(run, async () => await run.references.get(reference)) };
  }

  get externalId(): string | undefined {
    return textOf(reconcileStatusOf(statusOf(this.#run.current())).externalId);
  }

  get rememberExternalId(): Context["rememberExternalId"] {
    return (id) => kept(this.#run, async () => await this.#rememberExternalId(id));
  }

  get remember(): Context["remember"] {
    const run = this.#run;
    return (name, make) => kept(run, async () => await run.steps.remember(name, make));
  }

  get perform(): Context["perform"] {
    const run = this.#run;
    return (operation) => kept(run, async () => await run.steps.perform(operation));
  }

  get progress(): Context["progress"] {
    const run = this.#run;
    return (progress) =>
      kept(run, async () => {
        const message = shownText(run, progress.message);
        await showProgress(run, { ...progress, message });
      });
  }

  get outside(): Context["outside"] {
    const run = this.#run;
    return (system, call) =>
      kept(run, async () => await run.around.parts.outside(run, system, call));
  }

  get event(): Context["event"] {
    const run = this.#run;
    return (type, reason, message) => {
      const said: readonly unknown[] = [reason, message];
      const [why = "", text = ""] = said.map((each) => (typeof each === "string" ? each : ""));
      run.around.parts.event(run, type === "Warning" ? type : "Normal", why, shownText(run, text));
    };
  }

  async #rememberExternalId(id: unknown): Promise<void> {
    if (typeof id !== "string" || id === "" || id.length > longestId) {
      const message = `externalId must be a string of 1 to ${longestId} characters`;
      throw new SetpointError("resource.invalid", message);
    }
    if (this.externalId !== id) await this.#note({ externalId: id });
  }

  async #note(fields: JsonObject): Promise<void> {
    await this.#run.update((resource) => {
      const status = statusOf(resource);
      const reconcile = { ...reconcileStatusOf(status), ...fields } as JsonObject;
      return withStatus(resource, { ...status, reconcile });
    });
  }
}

function childrenOf(run: Run): Children {
  const { ports } = run.around;
  const change = (): ChildChange => ({
    owner: run.current(),
    ownerKey: run.key,
    claim: run.claim,
    cause: run.cause,
  });
  return {
    apply: (document: ChildDocument) =>
      kept(
        run,
        async () =>
          await fenced(run, async () => {
            checkChild(document);
            return await ports.resources.applyChild({ ...change(), document });
          }),
      ),
    delete: (child: Reference) => {
      const { kind, namespace = run.key.namespace, name } = child;
      const key = { kind, namespace, name };
      const deleting = async (): Promise<boolean> => {
        checkServed(kind, ports.resources);
        return await ports.resources.deleteChild({ ...change(), key });
      };
      return kept(run, async () => await fenced(run, deleting));
    },
    list: (kind: string) => kept(run, async () => await listChildren(run, kind)),
  };
}

/** Authors may forget to wait for what they began: that ends nothing but itself, and is told. */
export function kept<T>(run: Run, begin: () => Promise<T>): Promise<T> {
  const begun = begin();
  begun.catch((error: unknown) => {
    if (run.phase === "running") return;
    const { log } = run.around.ports;
    const shown = shownError(run, error);
    log.warn({ error: shown, key: run.key }, "code that a run left behind failed");
  });
  return begun;
}

/** Reconcilers may be written without types. */
function checkChild(document: unknown): void {
  const { apiVersion, kind, metadata } = Object(document) as Partial<ChildDocument>;
  const name: unknown = metadata?.name;
  for (const [field, value] of Object.entries({ apiVersion, kind, "metadata.name": name })) {
    if (typeof value === "string" && value !== "") continue;
    throw new SetpointError(
      "resource.invalid",
      `the child document has no ${field}: it must be a string`,
    );
  }
}

/** The write path checks the claim too; when it says that it is lost, this run is over. */
export async function fenced<T>(run: Run, write: () => Promise<T>): Promise<T> {
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
  checkServed(kind, resources);
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
