/**
 * What a store knows of the keys that seal it: which ones its values need, which ones are retired,
 * and which ones the other processes on it have. It is what makes a change of keys safe (ADR 9):
 *
 *  - A retired key seals nothing any more, in no process: a commit that was sealed with it is
 *    refused inside the database. So a ring that was copied before the change, and never renewed,
 *    loses nothing; who has it is told.
 *  - Retirement is a record in the store, so it is in backups, and older releases, which do not
 *    know it, leave it alone.
 */
import { SetpointError } from "../kernel/errors.ts";
import { formatReference } from "../kernel/resource.ts";
import type { ResourceKey } from "../kernel/resource.ts";
import { checkKeyIds } from "./arguments.ts";
import { systemCause } from "../kernel/cause.ts";
import type { KeyRing } from "./key-ring.ts";
import type { Put, Store } from "./port.ts";
import type { PreparedGroup } from "./prepare.ts";
import { envelopeKeyId, isErased, isUnopened, openDocument } from "./seal.ts";

export interface KeyCare {
  /**
   * Opens the oldest and the newest sealed value: rejects with `secret.key_missing` or
   * `secret.unsealable` when the key ring opens neither, so is not the one of this store, and with
   * `secret.key_retired` when its active key is retired.
   */
  checkKeys(): Promise<void>;
  /**
   * Seals everything that is sealed under an older key again under the active one, in slices.
   * `store.read_only` on a store that was opened for reading.
   */
  reseal(signal?: AbortSignal): Promise<number>;
  /** Every key that sealed values need, history included, whether the ring has it or not. */
  keyUses(): Promise<readonly KeyUse[]>;
  /**
   * From its answer on nothing is sealed with these keys, by any process, and no commit that was is
   * under way. What they have sealed still opens.
   */
  retireKeys(ids: readonly string[]): Promise<void>;
  /** The rings of the other processes that have the store open for writing, as of a moment ago. */
  otherRings(): Promise<readonly OtherRing[]>;
  /** At most one process at a time changes keys, until it closes: `store.locked` for a second. */
  beginKeyChange(): Promise<void>;
}

export interface KeyUse {
  readonly id: string;
  readonly changes: number;
  /** Some of the resources whose values it has sealed. */
  readonly resources: readonly ResourceKey[];
}

export interface OtherRing {
  /** Where the process is, for people. */
  readonly place: string;
  has(id: string): boolean;
  /** Whether its active key is this one. */
  sealsWith(id: string): boolean;
}

/** How soon a process that runs tells of a changed ring: half of what is waited for it. */
export const ringNewsMs = 5_000;

/** No surface serves it. */
export const retiredKind = "retired-keys.setpoint.dev";
const namedResources = 10;

export class KeyCount {
  readonly #uses = new Map<string, { changes: number; resources: Map<string, ResourceKey> }>();

  /** @param sealed An envelope, or its beginning. */
  add(sealed: Buffer, key: ResourceKey): void {
    if (isErased(sealed)) return;
    const id = envelopeKeyId(sealed);
    const use = this.#uses.get(id) ?? { changes: 0, resources: new Map<string, ResourceKey>() };
    this.#uses.set(id, use);
    use.changes += 1;
    if (use.resources.size < namedResources) use.resources.set(formatReference(key), key);
  }

  get uses(): readonly KeyUse[] {
    return [...this.#uses].map(([id, { changes, resources }]) => {
      return { id, changes, resources: [...resources.values()] };
    });
  }
}

/** Writes down that these keys are retired; what is so already stays so. */
export async function recordRetirement(
  store: Pick<Store, "commit">,
  ids: readonly string[],
): Promise<void> {
  checkKeyIds(ids);
  const answers = await store.commit(ids.map(retirement));
  for (const answer of answers) {
    const isRefused = answer.kind === "refused" && answer.error.code !== "resource.already_exists";
    if (isRefused) throw answer.error;
  }
}

function retirement(id: string): Put {
  const body = Buffer.from(JSON.stringify({ keyId: id }));
  return {
    kind: "put",
    key: retirementKey(id),
    uid: id,
    draft: { body, terms: [], secrets: [] },
    when: { kind: "absent" },
    cause: systemCause,
  };
}

/** The keys that sealed something of these writes; usually none. */
export function sealedWith(groups: readonly PreparedGroup[]): readonly string[] {
  const ids = new Set<string>();
  for (const { writes } of groups) {
    for (const { sealed } of writes) if (sealed !== null) ids.add(envelopeKeyId(sealed));
  }
  return [...ids];
}

export type SealedEnd = Parameters<typeof openDocument>[1] & { readonly sealed: Buffer };

/** One that opens is enough: a value whose key is lost must not keep everything else closed. */
export function checkEnds(ring: KeyRing, ends: readonly SealedEnd[]): void {
  let failure: Error | undefined;
  for (const { sealed, ...identity } of ends) {
    try {
      openDocument(ring, identity, { document: sealed, sealed });
      return;
    } catch (error) {
      if (!isUnopened(error)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
}

/** Rejects when what this ring would seal nobody should have to open. */
export async function checkActiveKey(store: Pick<Store, "get">, ring: KeyRing): Promise<void> {
  const { id } = ring.active();
  const found = await store.get(retirementKey(id));
  if (found !== undefined) throw retiredKey([id]);
}

export function retirementKey(id: string): ResourceKey {
  return { kind: retiredKind, namespace: "", name: id };
}

export function retiredKey(ids: readonly string[]): SetpointError {
  const message = `the key ring of this process seals with ${ids.join(", ")}, which is retired`;
  return new SetpointError("secret.key_retired", message, {
    details: { keyIds: [...ids] },
    suggestion: "copy the key ring of the server where the keys were rotated to this one",
  });
}
