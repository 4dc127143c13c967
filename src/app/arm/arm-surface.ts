/** The Resource Manager surface of a control plane, with everything it needs from this process. */
import { admissionChain } from "../../intents/admission/admission.ts";
import type { Auditor } from "../../intents/audit/audit-trail.ts";
import type { Authentication } from "../../intents/auth/authentication.ts";
import { sharedSigningKey } from "../../intents/auth/shared-signing-key.ts";
import { installKind } from "../../intents/install-kind.ts";
import { systemTimers } from "../../kernel/timers.ts";
import type { Timers } from "../../kernel/timers.ts";
import { appliedSpecsKind, operationsKind } from "../../surfaces/arm/arm-kinds.ts";
import { armApi, isArmPath } from "../../surfaces/arm/arm-api.ts";
import type { ArmSurface } from "../../surfaces/arm/arm-request.ts";
import type { ArmAnswered } from "../../surfaces/arm/arrival.ts";
import type { ArmFaces } from "../../surfaces/arm/faces.ts";
import { swaggerDocuments } from "../../surfaces/arm/swagger/swagger.ts";
import type { Logger } from "../../telemetry/log.ts";
import type { Exchange } from "../../surfaces/http/exchange.ts";
import { createFairness } from "../../surfaces/http/fairness.ts";
import { openArmFaces } from "../arm-faces.ts";
import type { ObservedRequests } from "../observe-requests.ts";
import type { ServeConfig } from "../config.ts";
import type { ControlPlane } from "../control-plane.ts";
import { AwaitedChanges } from "../../surfaces/arm/awaited-changes.ts";
import { FollowedOperations } from "../../surfaces/arm/followed-operations.ts";
import { OpenOperations } from "../../surfaces/arm/open-operations.ts";
import { RecentDocuments } from "../../surfaces/arm/recent-documents.ts";
import { ShownCache } from "../../surfaces/arm/shown-cache.ts";
import { skipKeyOf } from "../../surfaces/arm/skip-token.ts";
import { facesOf } from "../load-modules.ts";
import type { LoadedModule } from "../load-modules.ts";
import { sweepOperations } from "./operation-expiry.ts";
import { recordEnds } from "./operation-recorder.ts";
import { armModule } from "./subscription-cleanup.ts";
import type { CleanupParts } from "./subscription-cleanup.ts";

/** What a server needs to know before it has anything to serve. */
export interface PreparedArm {
  /** Those that were loaded, and this surface's own where it is served. */
  readonly modules: readonly LoadedModule[];
  /** Whether a kind has a face now; none has before the start. */
  readonly hasFace: (kind: string) => boolean;
  /** Once the kinds of the modules are installed. */
  start(input: ArmSurfaceInput): Promise<RunningArm>;
}

export interface ArmSurfaceInput {
  readonly plane: ControlPlane;
  readonly authentication: Pick<Authentication, "authenticate">;
  readonly log: Logger;
  readonly audit: Auditor | undefined;
  readonly observed: Pick<ObservedRequests, "onArmRequest">;
  /** Those of this process when left out. */
  readonly timers?: Timers;
}

export interface RunningArm extends AsyncDisposable {
  /** Answers its own paths, and leaves the others to the handler that is given. */
  readonly before: (others: Handler) => Handler;
}

type Handler = (exchange: Exchange) => Promise<void>;

type Config = Pick<ServeConfig, "arm" | "historyMs">;

export function prepareArm(config: Config, loaded: readonly LoadedModule[]): PreparedArm {
  const isServed = config.arm.isWanted || facesOf(loaded).length > 0;
  if (!isServed) {
    const start = (): Promise<RunningArm> => Promise.resolve(notServed);
    return { modules: loaded, hasFace: () => false, start };
  }
  let parts: CleanupParts | undefined;
  return {
    modules: [...loaded, armModule(() => parts)],
    hasFace: (kind) => parts?.faces.byKind(kind) !== undefined,
    start: async (input) => {
      await using undo = new AsyncDisposableStack();
      const { plane, log, timers = systemTimers } = input;
      const opened = { plane, modules: loaded, timers, log };
      const { faces } = undo.use(await openArmFaces(opened));
      parts = { intents: plane.intents, faces };
      const { before } = undo.use(await startArmSurface(input, config, faces));
      const running = undo.move();
      return { before, [Symbol.asyncDispose]: () => running.disposeAsync() };
    },
  };
}

const notServed: RunningArm = {
  before: (others) => others,
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

function logged({ ids, ...answered }: ArmAnswered): Readonly<Record<string, unknown>> {
  const { request, correlation, client, trace } = ids;
  return { ...answered, request, correlation, client, trace };
}

const maxFollowed = 2_000;

const mistakes = {
  refused: "a face made a spec that its kind refuses",
  kept: "toStored of a face kept a secret that a client took away",
  lost: "a face made fields that its kind does not have",
} as const;

async function startArmSurface(
  { plane, authentication, log, audit, observed, timers = systemTimers }: ArmSurfaceInput,
  { historyMs, arm: { clients, retryAfterSeconds } }: Config,
  faces: ArmFaces,
): Promise<RunningArm> {
  const { intents, rbac } = plane;
  const unhindered = { ...intents, admission: admissionChain([]) };
  const maker = { name: "setpoint-arm", version: 1, isReconciled: false };
  await installKind(unhindered, operationsKind, maker);
  const { privateKey } = await sharedSigningKey(intents);
  const surface: ArmSurface = {
    intents,
    faces,
    authorizer: rbac,
    retryAfterSeconds,
    skipKey: skipKeyOf(privateKey),
    shown: new ShownCache(),
    documents: new RecentDocuments(),
    followed: new FollowedOperations(maxFollowed),
    open: new OpenOperations(),
    awaited: new AwaitedChanges(timers),
    onMistake: ({ what, ...mistake }) => log.warn(mistake, mistakes[what]),
    onUnshown: (error, unshown) =>
      log.error({ error, ...unshown }, "a face cannot show a resource"),
  };
  await installKind(unhindered, appliedSpecsKind, maker);
  const unfollow = plane.feed.subscribe((changes) => {
    for (const change of changes) {
      surface.followed.changed(change);
      surface.awaited.changed(change);
    }
  });
  const stop = new AbortController();
  const sweeping = sweepOperations({
    surface,
    timers,
    signal: stop.signal,
    historyMs,
    onError: (error) => log.warn({ error }, "old operations not removed"),
  });
  const recording = recordEnds({
    surface,
    feed: plane.feed,
    timers,
    signal: stop.signal,
    onError: (error) => log.warn({ error }, "ends of operations not recorded"),
  });
  const answer = armApi({
    surface,
    documents: swaggerDocuments(faces),
    fairness: createFairness({ timers }),
    timers,
    authentication,
    audit,
    onRequest: observed.onArmRequest,
    managers: new Set(clients),
    // What was changed can be found in the log by the ids of whoever asked for it.
    onAnswer: (answered) => log.info(logged(answered), "request answered"),
    onError: (error, answered) => log.error({ error, ...logged(answered) }, "request failed"),
  });
  return {
    before: (others) => (exchange) =>
      isArmPath(exchange.url) ? answer(exchange) : others(exchange),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      unfollow();
      await Promise.all([sweeping, recording]);
    },
  };
}
