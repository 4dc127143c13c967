/** The resource provider of a running process: faces, records of operations and subscriptions. */
import type { OpenPorts, StartPorts } from "../../contract/ports.ts";
import { facesIn } from "./face-extension.ts";
import { followFaces } from "./faces/follow-faces.ts";
import { putFaces } from "./faces/module-faces.ts";
import { sweepOperations } from "./operations/operation-expiry.ts";
import { recordEnds } from "./operations/operation-recorder.ts";
import type { OfferedState, ProviderState } from "./provider-state.ts";
import { subscriptionCleanup } from "./subscriptions/cleanup.ts";

export interface StartInput {
  readonly ports: OpenPorts;
  readonly more: StartPorts;
  readonly offered: OfferedState;
}

export async function startProvider(input: StartInput): Promise<AsyncDisposable> {
  const { ports, more, offered } = input;
  const { timers, log, kinds, extensions, reportModule } = ports;
  const { faces } = offered;
  await using undo = new AsyncDisposableStack();
  putFaces(faces, facesIn(extensions), kinds, reportModule);
  undo.use(
    followFaces({
      intents: more.ownIntents,
      faces,
      timers,
      onError: (error, face) => log.warn({ error, face }, "condition of a face not stored"),
    }),
  );
  const provider: ProviderState = { ...offered, intents: more.intents };
  undo.defer(more.engine.add(subscriptionCleanup(provider)));
  undo.defer(followChanges(provider, more));
  undo.use(keepRecords(provider, input));
  return undo.move();
}

/** Returns a function that ends it. */
function followChanges({ followed, awaited }: ProviderState, { feed }: StartPorts): () => void {
  return feed.subscribe((changes) => {
    for (const change of changes) {
      followed.changed(change);
      awaited.changed(change);
    }
  });
}

/** Records how operations end, and deletes the records that have expired. */
function keepRecords(provider: ProviderState, { ports, more }: StartInput): AsyncDisposable {
  const { timers, log, historyMs } = ports;
  const stop = new AbortController();
  const { signal } = stop;
  const sweeping = sweepOperations({
    provider,
    timers,
    signal,
    historyMs,
    onError: (error) => log.warn({ error }, "old operations not removed"),
  });
  const recording = recordEnds({
    provider,
    feed: more.feed,
    timers,
    signal,
    onError: (error) => log.warn({ error }, "results of operations not recorded"),
  });
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await Promise.all([sweeping, recording]);
    },
  };
}
