// An action of the console, in one place for buttons, menus, the palette and shortcuts: when it can
// be used, why not, what it destroys, what it does, and the same as a command.

import type { KindInfo } from "../api/kinds.ts";
import type { ResourceState } from "../api/types.ts";
import type { KindId } from "../paths.ts";

/** A resource, as far as the page knows it. */
export interface Subject {
  readonly kind: KindInfo;
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string | undefined;
  readonly state?: ResourceState | undefined;
  readonly isPaused?: boolean;
  readonly isProtected?: boolean;
  readonly isDeleting?: boolean;
}

/** What a destructive action does to other things. */
export interface Impact {
  /** "Delete Database/orders?" */
  readonly title: string;
  /** Each a sentence. */
  readonly consequences: readonly string[];
  /** What the user must type; none: a click is enough. */
  readonly typed?: string;
  /** What the action needs to know. */
  readonly fields?: readonly AskedField[];
}

export interface AskedField {
  readonly id: string;
  readonly label: string;
  readonly help?: string;
  /** A list to choose from; without it, a text. */
  readonly choices?: readonly Choice[];
  /** At first. */
  readonly value?: string;
  readonly isOptional?: boolean;
}

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** It cannot be chosen; the label says why. */
  readonly isOff?: boolean;
}

/** What the user has entered, by the id of the field. */
export type Answers = Readonly<Record<string, string>>;

export interface Action {
  readonly id: string;
  /** Verb and object: "Reconcile now". */
  readonly label: string;
  readonly key?: string;
  /** Only for these kinds; none: for all. */
  readonly kinds?: readonly KindId[];
  /** Whether it can be used for many resources at once. */
  readonly isForMany?: boolean;
  readonly isDanger?: boolean;
  readonly isMain?: boolean;
  readonly needs: { readonly verb: string; readonly subresource?: string };
  /** Whether it fits this resource at all: Resume fits what is paused. */
  readonly fits?: (subject: Subject) => boolean;
  /** Why it cannot be used now. */
  readonly off?: (subject: Subject) => string | undefined;
  readonly confirm?: (subjects: readonly Subject[]) => Promise<Impact> | Impact;
  /** Returns what was done, as a sentence. `answers` are those of the fields of `confirm`. */
  readonly perform: (subject: Subject, answers: Answers) => Promise<string>;
  /** The same for the command line. */
  readonly command: (subject: Subject) => string;
}

export function titleOf({ kind, name }: Pick<Subject, "kind" | "name">): string {
  return `${kind.kind}/${name}`;
}

/** As kubectl names it: "database/orders -n shop". */
export function kubectlName({ kind, namespace, name }: Subject): string {
  const place = namespace === "" ? "" : ` -n ${namespace}`;
  return `${kind.id} ${name}${place}`;
}
