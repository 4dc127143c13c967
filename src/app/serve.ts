/**
 * One running server: the store, the control plane over it, and what answers for both. Started
 * whole or not at all, and stopped in the reverse order: not ready, watches ended, accepted work
 * answered, store closed. It listens last, so that nothing is left to fail once clients are let in.
 */
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import type { ThreadPool } from "../adapters/threads/pool.ts";
import type { HealthCheck } from "../contract/module.ts";
import type { WatchHub } from "../intents/watch/watch-hub.ts";
import { systemClock } from "../kernel/clock.ts";
import { SetpointError, isSetpointError } from "../kernel/errors.ts";
import { systemTimers } from "../kernel/timers.ts";
import type { Store } from "../store/port.ts";
import { createAdmissions } from "../surfaces/http/admit.ts";
import type { Admissions } from "../surfaces/http/admit.ts";
import { requestPipeline } from "../surfaces/http/pipeline.ts";
import type { PipelineInput } from "../surfaces/http/pipeline.ts";
import type { HttpSurface } from "../surfaces/http/surface.ts";
import type { RequestReports } from "../surfaces/http/error-envelope.ts";
import type { Logger } from "../telemetry/log.ts";
import type { LogForm } from "../telemetry/log-form.ts";
import type { Gauge } from "../telemetry/metrics.ts";
import { admissionGauges } from "./admission-gauges.ts";
import { openAuditLog } from "./audit-log.ts";
import { openAuthentication } from "./authenticators.ts";
import { checkBeforeStart } from "./check-before-start.ts";
import { storeLabel } from "./config.ts";
import type { ServeConfig } from "./config.ts";
import { openConsole } from "./console/open-console.ts";
import type { OpenConsole } from "./console/open-console.ts";
import { openControlPlane, systemSurroundings as surroundings } from "./control-plane.ts";
import type { ControlPlane, ControlPlaneOptions } from "./control-plane.ts";
import { kubeconfigPath, openCredentials } from "./credentials.ts";
import type { Credentials } from "./credentials.ts";
import { readHealth } from "./health.ts";
import type { HealthOptions } from "./health.ts";
import { openHeavyPool, poolGauges } from "./heavy-pool.ts";
import { startListeners } from "./listeners.ts";
import type { Listeners, ListenersInput } from "./listeners.ts";
import { loadGuarded } from "./guarded-modules.ts";
import type { GuardedModules } from "./guarded-modules.ts";
import { kubeSurface } from "./kube-surface.ts";
import type { KubeSurfaceInput } from "./kube-surface.ts";
import { extensionsOf, kindsOf, metricsIn } from "./load-modules.ts";
import { startForgetting } from "./forgetting.ts";
import { backlogMeasure } from "./measure-backlog.ts";
import { measureStore } from "./measure-store.ts";
import type { MeasuredStore } from "./measure-store.ts";
import { observeRequests } from "./observe-requests.ts";
import type { ObservedRequests } from "./observe-requests.ts";
import { openStore } from "./open-store.ts";
import { openSurfaces } from "./open-surfaces.ts";
import { guardProcess } from "./process-guard.ts";
import { refuseSecondary } from "./replication/refuse-secondary.ts";
import { openRequestLog } from "./request-log.ts";
import type { RequestLog } from "./request-log.ts";
import { requestReports } from "./request-reports.ts";
import type { OwnReports } from "./request-reports.ts";
import { openRest } from "./rest-surface.ts";
import type { RestInput } from "./rest-surface.ts";
import { startReconciling } from "./reconciling.ts";
import type { ReconcilingInput, Worker } from "./reconciling.ts";
import { stopReport } from "./stop-report.ts";
import { monitorStore } from "./store-monitor.ts";
import { followCertificate } from "./tls/served-certificate.ts";
import { startTracing } from "./tracing.ts";
import type { Tracing } from "./tracing.ts";
import { modulesCheck } from "./user-modules.ts";
import type { UserModules } from "./user-modules.ts";
import { watchStore } from "./watch-store.ts";
import type { StoreState } from "./watch-store.ts";
import { namedHooks } from "./watchdog/named-hooks.ts";

export interface RunningServer {
  readonly url: string;
  readonly store: Store;
  /** Where the file is that kubectl needs. */
  readonly kubeconfig: string;
  /** Where the certificate is that clients check the server by. */
  /** Undefined: the server has a certificate of a public authority. */
  readonly authorityFile: string | undefined;
  /** Who watches: the count goes back to zero when clients have left. */
  readonly hub: WatchHub;
  /** The ids of the kinds that modules of users reconcile here. */
  readonly reconciled: readonly string[];
  /** The files of modules that it cannot use. */
  readonly broken: readonly string[];
  readonly console: ServedConsole;
  /** What a stop would wait for now; undefined: for nothing that takes time. */
  outlook(): string | undefined;
  stop(): Promise<void>;
}

export interface ServedConsole {
  /** Reads or builds its files before a browser asks for them. */
  readonly prepare: () => void;
  /** A link that signs the administrator in, once; undefined where the console is switched off. */
  readonly adminLink: () => Promise<string | undefined>;
  /** The origin of the listener without TLS; undefined where there is none. */
  readonly loopbackOrigin: string | undefined;
}

export interface StartOptions extends Pick<ListenersInput, "writeStallMs" | "bodyPaceMs"> {
  /** For tests: the memory of all requests in progress. */
  readonly maxBytesInFlight?: number;
  /** The process belongs to the server, which handles its uncaught errors. */
  readonly guardsProcess?: boolean;
  /** Starts the watchdog of the event loop, which logs on standard error in this form. */
  readonly watchdog?: LogForm;
  /** For tests: the folder of the installation whose console is served. */
  readonly consoleRoot?: string;
}

export async function startServer(
  config: ServeConfig,
  log: Logger,
  options: StartOptions = {},
): Promise<RunningServer> {
  const given = await checkBeforeStart(config);
  await using undo = new AsyncDisposableStack();
  const guarded = await loadGuarded({ config: config.engine, log, form: options.watchdog, undo });
  const { modules } = guarded;
  const opened = await openTracedStore(config, log, undo);
  const { store, storeState, tracing } = opened;
  const stopping = new AbortController();
  const heavy = undo.use(openHeavyPool(log));
  const ofPlane = { ...planeOptions(config, modules, stopping), heavy };
  const plane = undo.use(await openControlPlane(store, log, ofPlane));
  if (options.guardsProcess === true) undo.use(guardProcess({ log, meter: plane.meter }));
  opened.measured.countIn(plane.meter);
  guarded.introduce(plane.meter, tracing);
  const { worker } = undo.use(
    await startReconciling({
      plane,
      modules,
      loading: guarded.loading,
      surroundings,
      log,
      ...engineInput(config, tracing),
    }),
  );
  const parts = { config, log, options, given, guarded, plane, worker, stopping, heavy, tracing };
  const { listeners, page, credentials } = await openToClients({ ...parts, storeState }, undo);
  const { url } = listeners;
  const kubeconfig = writeKubeconfig(config, credentials, url, log);
  log.info({ url, store: storeLabel(config.store) }, "server ready");
  const running = undo.move();
  return {
    url,
    store,
    hub: plane.hub,
    ...modulesView(config, modules),
    kubeconfig,
    authorityFile: credentials.authorityFile,
    console: servedConsole(page, listeners),
    outlook: () => outlookOf(plane, worker, config),
    stop: async () => {
      await running.disposeAsync();
      log.info({}, "server stopped");
    },
  };
}

interface Parts {
  readonly config: ServeConfig;
  readonly log: Logger;
  readonly options: StartOptions;
  readonly given: Awaited<ReturnType<typeof checkBeforeStart>>;
  readonly guarded: GuardedModules;
  readonly plane: ControlPlane;
  readonly worker: Worker | undefined;
  readonly stopping: AbortController;
  readonly heavy: ThreadPool;
  readonly tracing: Tracing | undefined;
  readonly storeState: StoreState;
}

interface Opened {
  readonly listeners: Listeners;
  readonly page: OpenConsole;
  readonly credentials: Credentials;
}

/** Everything between the control plane and its clients; listens last. */
async function openToClients(parts: Parts, undo: AsyncDisposableStack): Promise<Opened> {
  const { config, log, options, given, guarded, plane, worker, stopping, heavy, tracing } = parts;
  const { storeState } = parts;
  const { modules } = guarded;
  const admissions = createAdmissions(systemTimers, options.maxBytesInFlight);
  const credentials = await openOwnCredentials(config, plane);
  const authentication = openAuthentication(given.authentication, config, credentials, log);
  const audit = undo.use(given.audit && (await openAuditLog({ ...given.audit, log })));
  const requestLog = undo.use(await requestLogOf(config, log));
  const reports = undo.use(requestReports(log, systemTimers));
  const { callerLog, onUnhandled: onError } = reports;
  const measure = backlogMeasure(plane, systemTimers, worker);
  const observed = observeRequests(plane, measure, storeState, () =>
    gaugesOf(heavy, admissions, tracing),
  );
  const opened = await openSurfaces({ plane, log, audit, callerLog });
  tendStore(config, plane, log, undo);
  const at: { listeners?: Listeners } = {};
  const url = (): string => at.listeners?.url ?? "";
  const loopbackOrigin = (): string | undefined => at.listeners?.loopbackOrigin;
  const kube = { plane, worker, credentials, authentication, observed, modules, url, measure };
  const { store } = plane.intents;
  const health = { store, storeState, stopping: stopping.signal, own: guarded.healthChecks };
  const root = options.consoleRoot;
  const ofPage = { config, plane, credentials, authentication, log, callerLog };
  const page = undo.use(openConsole({ ...ofPage, loopbackOrigin, root }));
  const surfaces = [...ownSurfaces(config, reports, kube, health), ...page.surfaces, ...opened];
  const logRequest = requestLog?.add;
  const security = { ...page.identification, audit, roles: plane.rbac, admissions, logRequest };
  const all = { surfaces, ...reportingOf(reports, observed, tracing, security) };
  const handle = requestPipeline(all);
  const listeners = await startListeners({ config, credentials, handle, onError, ...options });
  at.listeners = listeners;
  undo.use(followOwnCertificate(config, listeners, log));
  undo.defer(async () => {
    stopping.abort();
    await listeners.stop();
  });
  return { listeners, page, credentials };
}

async function requestLogOf(
  { requestLogFile: path }: ServeConfig,
  log: Logger,
): Promise<RequestLog | undefined> {
  return path === undefined ? undefined : await openRequestLog({ path, log, clock: systemClock });
}

function servedConsole(
  { prepare, adminLink }: OpenConsole,
  { loopbackOrigin, url }: Listeners,
): ServedConsole {
  return { prepare, adminLink: () => adminLink(loopbackOrigin ?? url), loopbackOrigin };
}

/** Removes old states, and watches the size of the store. */
function tendStore(
  config: ServeConfig,
  { intents: { store }, modules }: ControlPlane,
  log: Logger,
  undo: AsyncDisposableStack,
): void {
  undo.defer(startForgetting(config, store, log, modules.historyHolders));
  undo.use(monitorStore({ store, timers: systemTimers, clock: systemClock, log }));
}

interface HealthInput extends Pick<HealthOptions, "store" | "storeState" | "stopping"> {
  /** Besides those of modules. */
  readonly own: readonly HealthCheck[];
}

/** Kubernetes and REST, which every server has. Both show the same health. */
function ownSurfaces(
  { store: { kind } }: ServeConfig,
  reports: OwnReports,
  given: Omit<KubeSurfaceInput, "health" | "isAlone" | "stopping"> & Pick<RestInput, "measure">,
  { own, ...ofStore }: HealthInput,
): readonly HttpSurface[] {
  const { plane, modules } = given;
  const checks = [...plane.modules.healthChecks, modulesCheck(modules), ...own];
  const health = { ...ofStore, timers: systemTimers, checks };
  const { stopping } = ofStore;
  const kube = kubeSurface({ ...given, health, stopping, isAlone: kind === "sqlite" });
  const { measure, worker } = given;
  const server = worker?.name ?? hostname();
  return [kube, openRest({ plane, reports, readHealth: readHealth(health), measure, server })];
}

function reportingOf(
  reports: RequestReports,
  { requests: metrics }: ObservedRequests,
  tracing: Tracing | undefined,
  security: Omit<PipelineInput, "surfaces" | "timers" | "metrics" | "trace" | "reports">,
): Omit<PipelineInput, "surfaces"> {
  const trace = tracing?.requests;
  return { ...security, timers: systemTimers, metrics, trace, reports };
}

function modulesView(
  { engine: { isWorker } }: ServeConfig,
  modules: UserModules,
): Pick<RunningServer, "reconciled" | "broken"> {
  return {
    reconciled: isWorker ? [...kindsOf(modules.usable())] : [],
    broken: [...new Set(modules.broken().map(({ file }) => file))],
  };
}

function planeOptions(
  { sections, historyMs }: ServeConfig,
  modules: UserModules,
  stopping: AbortController,
): ControlPlaneOptions {
  return {
    reconciled: modules.kinds,
    reportModule: (file, error) => modules.report(file, error),
    extensions: extensionsOf(modules.usable()).map(namedHooks),
    metrics: metricsIn(modules.usable()),
    configuration: sections,
    historyMs,
    stopping: stopping.signal,
  };
}

function outlookOf(
  { intents: { kinds } }: ControlPlane,
  worker: Worker | undefined,
  { engine: { graceMs } }: ServeConfig,
): string | undefined {
  const kindName = (id: string): string | undefined => kinds.byId(id)?.kind.names.kind;
  return stopReport(worker?.running() ?? [], kindName, graceMs);
}

/**
 * A failure is only logged: the server works without the file, and the file of an earlier start
 * usually exists.
 */
function writeKubeconfig(
  { dataFolder, certificate, hosts: [name] }: ServeConfig,
  credentials: Credentials,
  url: string,
  log: Logger,
): string {
  // The certificate of an operator is for a name, and not for the local address.
  const isNamed = certificate !== undefined && name !== undefined;
  const address = isNamed ? `https://${name}:${new URL(url).port}` : url;
  try {
    return credentials.writeKubeconfig(address);
  } catch (error) {
    const path = kubeconfigPath(dataFolder);
    log.warn({ error, path }, "kubeconfig not written");
    return path;
  }
}

function engineInput(
  { engine }: ServeConfig,
  tracing: Tracing | undefined,
): Pick<ReconcilingInput, "config" | "spans"> {
  return { config: engine, spans: tracing?.runs };
}

interface OpenedStore {
  readonly store: Store;
  readonly storeState: StoreState;
  readonly measured: MeasuredStore;
  readonly tracing: Tracing | undefined;
}

/** The traces end after everything that is traced, and so they begin before it. */
async function openTracedStore(
  config: ServeConfig,
  log: Logger,
  undo: AsyncDisposableStack,
): Promise<OpenedStore> {
  const tracing = config.tracing && startTracing({ config: config.tracing, surroundings, log });
  if (tracing !== undefined) undo.use(tracing);
  const measured = measureStore(await openOwnStore(config), () => performance.now());
  const watched = watchStore(measured.store, log, systemClock);
  const store = tracing?.traced(watched.store) ?? watched.store;
  undo.defer(() => store.close());
  await tellOfStore(config, store, log);
  return { store, storeState: watched.state, measured, tracing };
}

/** If another server has the store, the error names the kubeconfig of that server. */
async function openOwnStore(config: ServeConfig): Promise<Store> {
  try {
    const store = await openStore(config, { access: "write" });
    await using undo = new AsyncDisposableStack();
    undo.use(store);
    await refuseSecondary(store);
    undo.move();
    return store;
  } catch (error) {
    const kubeconfig = kubeconfigPath(config.dataFolder);
    if (!isSetpointError(error, "store.locked") || !existsSync(kubeconfig)) throw error;
    throw new SetpointError(error.code, error.message, {
      cause: error.cause,
      details: error.details,
      suggestion: `a server already runs on this data: export KUBECONFIG=${kubeconfig}`,
    });
  }
}

/** Whoever expected to find data there should learn of it here, and not from clients. */
async function tellOfStore(config: ServeConfig, store: Store, log: Logger): Promise<void> {
  const { dataFolder: folder, givenFolder } = config;
  if (givenFolder !== undefined) {
    const reason = `others can write to ${givenFolder}, or could when the data was created`;
    (log.runs ?? log).info({ folder, reason }, "data is in the private subfolder");
  }
  const { revision } = await store.head();
  if (revision === 0) log.info({ store: storeLabel(config.store) }, "new store created");
  for (const hazard of await store.hazards()) log.warn({ hazard }, "durability at risk");
}

async function openOwnCredentials(
  { dataFolder: folder, listen, hosts: named, certificate: own }: ServeConfig,
  { intents }: ControlPlane,
): Promise<Credentials> {
  const hosts = [listen.host, hostname(), ...named];
  return await openCredentials({ folder, hosts, intents, own });
}

function followOwnCertificate(
  { certificate: files }: ServeConfig,
  { useCertificate: use }: Listeners,
  log: Logger,
): Disposable | undefined {
  if (files === undefined) return undefined;
  return followCertificate({ files, clock: systemClock, timers: systemTimers, log, use });
}

function gaugesOf(
  heavy: ThreadPool,
  admissions: Admissions,
  tracing: Tracing | undefined,
): readonly Gauge[] {
  return [...poolGauges(heavy), ...admissionGauges(admissions), ...(tracing?.counters() ?? [])];
}
