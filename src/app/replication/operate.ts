/** What people do with the stores of a replication, by their configuration. */
import { systemClock } from "../../kernel/clock.ts";
import type { Standing } from "../../store/replication.ts";
import { storeLabel } from "../config.ts";
import type { StoreConfig } from "../config.ts";
import { openStore } from "../open-store.ts";
import { followPrimary } from "./follow-primary.ts";
import type { FollowInput } from "./follow-primary.ts";
import { readLag } from "./lag.ts";
import type { Lag } from "./lag.ts";
import { openForRole, openPrimary, primaryConfig } from "./replicated-pair.ts";
import { switchOver } from "./switch-over.ts";
import { wokenKinds } from "./woken-kinds.ts";

/** How many resources become due in each second after a promotion. */
const wokenPerSecond = 200;

/** The store of the other side, and its address for clients; the store itself when left out. */
export interface OtherSide {
  readonly from: string;
  readonly address?: string | undefined;
}

/** Until the signal aborts. */
export async function followStore(
  config: StoreConfig,
  { from, address }: OtherSide,
  ports: Pick<FollowInput, "timers" | "log" | "signal">,
): Promise<void> {
  const ofPrimary = primaryConfig(config, from);
  await using primary = await openPrimary(ofPrimary);
  await using secondary = await openStore(config, { access: "write", isRestore: true });
  const primaryName = address ?? storeLabel(ofPrimary.store);
  await followPrimary({ primary, secondary, primaryName, ...ports });
}

export interface StoreStanding extends Standing {
  readonly lag?: Lag;
}

export async function readStoreStanding(
  config: StoreConfig,
  from: string | undefined,
): Promise<StoreStanding> {
  await using own = await openStore(config, { access: "read" });
  const standing = await own.replication.standing();
  if (from === undefined) return standing;
  await using primary = await openPrimary(primaryConfig(config, from));
  return { ...standing, lag: await readLag(primary, standing, systemClock.nowMs()) };
}

/** With the other side nothing is lost; its clients receive the address of this one. */
export async function promoteStore(
  config: StoreConfig,
  other: OtherSide | undefined,
): Promise<Standing> {
  await using next = await openForRole(config);
  const wakes = { kinds: await wokenKinds(next), perSecond: wokenPerSecond };
  if (other === undefined) return await next.replication.promote(wakes);
  await using former = await openForRole(primaryConfig(config, other.from));
  const nextName = other.address ?? storeLabel(config.store);
  return await switchOver({ former, next, nextName, wakes });
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
