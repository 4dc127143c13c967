/** What people do with the stores of a replication, by their configuration. */
import type { Finding } from "../../contract/finding.ts";
import type { ReplicatedStore, Standing } from "../../store/replication.ts";
import { storeLabel } from "../config.ts";
import type { StoreConfig } from "../config.ts";
import { openKeyFile } from "../key-file.ts";
import { openStore } from "../open-store.ts";
import { followPrimary } from "./follow-primary.ts";
import type { FollowInput } from "./follow-primary.ts";
import { httpPrimary } from "./http-primary.ts";
import type { PrimaryCalls, PrimaryStore } from "./http-primary.ts";
import { readLag } from "./lag.ts";
import type { Lag } from "./lag.ts";
import { openForRole, openPrimary, primaryConfig } from "./replicated-pair.ts";
import { rehearse } from "./rehearse.ts";
import { switchOver } from "./switch-over.ts";
import { wokenKinds } from "./woken-kinds.ts";

/** How many resources become due in each second after a promotion. */
const wokenPerSecond = 200;

/** Where the primary is: a database, or a server that runs on it. */
export type PrimarySource =
  | { readonly kind: "store"; readonly where: string }
  | { readonly kind: "server"; readonly url: string; readonly calls: PrimaryCalls };

interface OpenedPrimary extends AsyncDisposable {
  readonly store: PrimaryStore;
  readonly label: string;
}

async function opened(
  config: StoreConfig,
  source: PrimarySource,
  open: (ofPrimary: StoreConfig) => Promise<ReplicatedStore>,
): Promise<OpenedPrimary> {
  if (source.kind === "server") {
    const store = httpPrimary(source.calls);
    return { store, label: source.url, [Symbol.asyncDispose]: async () => undefined };
  }
  const ofPrimary = primaryConfig(config, source.where);
  const store = await open(ofPrimary);
  const close = () => store.close();
  return { store, label: storeLabel(ofPrimary.store), [Symbol.asyncDispose]: close };
}

/** Until the signal aborts. Clients of the secondary receive the address. */
export async function followStore(
  config: StoreConfig,
  source: PrimarySource,
  {
    address,
    ...ports
  }: Pick<FollowInput, "timers" | "log" | "signal"> & {
    readonly address: string | undefined;
  },
): Promise<void> {
  await using primary = await opened(config, source, openPrimary);
  await using secondary = await openStore(config, { access: "write", isRestore: true });
  const primaryName = address ?? primary.label;
  await followPrimary({ primary: primary.store, secondary, primaryName, ...ports });
}

export interface StoreStanding extends Standing {
  readonly lag?: Lag;
}

export async function readStoreStanding(
  config: StoreConfig,
  source: PrimarySource | undefined,
): Promise<StoreStanding> {
  await using own = await openStore(config, { access: "read" });
  const standing = await own.replication.standing();
  if (source === undefined) return standing;
  await using primary = await opened(config, source, openPrimary);
  return { ...standing, lag: await readLag(primary.store, standing) };
}

export async function rehearseSwitch(
  config: StoreConfig,
  source: PrimarySource,
): Promise<readonly Finding[]> {
  await using secondary = await openStore(config, { access: "read" });
  await using primary = await opened(config, source, openPrimary);
  const ring = openKeyFile(config.keyFile);
  return await rehearse({ primary: primary.store, secondary, ring });
}

/** With a source nothing is lost; its clients receive the address. */
export async function promoteStore(
  config: StoreConfig,
  source: PrimarySource | undefined,
  address: string | undefined,
): Promise<Standing> {
  await using next = await openForRole(config);
  const wakes = { kinds: await wokenKinds(next), perSecond: wokenPerSecond };
  if (source === undefined) return await next.replication.promote(wakes);
  await using former = await opened(config, source, openForRole);
  const nextName = address ?? storeLabel(config.store);
  return await switchOver({ former: former.store, next, nextName, wakes });
}

export async function demoteStore(
  config: StoreConfig,
  address: string,
  epoch: number | undefined,
): Promise<Standing> {
  await using own = await openForRole(config);
  return await own.replication.demote(address, epoch);
}

export function standingText({ role, epoch, at, primary }: Standing): string {
  const of = role === "secondary" && primary !== "" ? ` of ${primary}` : "";
  return `${role}${of}, epoch ${epoch}, revision ${at.revision}`;
}

export function lagText({ primary, revisions, behindMs }: Lag): string {
  const behind =
    revisions === 0
      ? "up to date"
      : `${revisions} revisions behind, for ${Math.round(behindMs / 1_000)} s`;
  return `primary: ${standingText(primary)}; this store is ${behind}`;
}
