/**
 * What this process knows of the claims that it was given: where their rows of work were, and of
 * what they are. A release of such a claim is spared two searches (migrations/0010_place.sql); one
 * that is not known here, because it was forgotten or given to somebody else, is looked up.
 */
import { isSameKey } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { ClaimRef } from "../port.ts";

export interface HeldClaim {
  readonly key: ResourceKey;
  /** The place of the row in its table, as the database writes it. */
  readonly at: string;
  readonly uid: string;
  /** Of the resource when it was claimed. */
  readonly revision: number;
}

/** More than workers ever hold; those of workers that are stuck go first. */
const mostHeld = 8_192;

export class HeldClaims {
  /** By token, so in the order in which they were given. */
  readonly #held = new Map<number, HeldClaim>();

  note(token: number, claim: HeldClaim): void {
    this.#held.set(token, claim);
    if (this.#held.size <= mostHeld) return;
    for (const oldest of this.#held.keys()) {
      this.#held.delete(oldest);
      break;
    }
  }

  /** Undefined unless it is a claim on the one with this uid, or on whichever there is. */
  of({ key, token }: ClaimRef, uid: string | undefined): HeldClaim | undefined {
    const held = this.#held.get(token);
    if (held === undefined || (uid !== undefined && uid !== held.uid)) return undefined;
    return isSameKey(held.key, key) ? held : undefined;
  }

  forget(token: number): void {
    this.#held.delete(token);
  }
}
