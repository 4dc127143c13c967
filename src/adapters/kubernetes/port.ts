/**
 * A client of a Kubernetes API. The contract, which contract/suite.ts proves:
 *
 *  1. Every call has a time limit and a limit on the size of its answer.
 *  2. A refused or failed call throws a KubeError with the status and the message of the server. A
 *     server may quote sent values in it, so callers that send secrets hide them in the message.
 *  3. `get` and `delete` report a missing object as data, not as an error.
 *  4. `list` reads all pages, or with `most` so many of the first items. `follow` gives the
 *     complete list first, then each change once, and throws when the connection ends with an
 *     error.
 *  5. `apply` is a server-side apply in the name of one field manager. A dry run changes nothing.
 *  6. `delete` with a uid never deletes another object of the same name.
 */
import type { JsonObject } from "../../kernel/json.ts";
import type { KubeAccess } from "../../kernel/kubeconfig.ts";

export interface KubeClient extends Disposable {
  /** Undefined when it does not exist. */
  get(path: string, signal: AbortSignal): Promise<JsonObject | undefined>;
  /** All pages of a list, or its first items, and the resourceVersion of the list at its end. */
  list(path: string, query: Query, signal: AbortSignal, most?: number): Promise<KubeList>;
  /** Creates the object, or changes the fields of this field manager to the given ones. */
  apply(
    path: string,
    object: JsonObject,
    signal: AbortSignal,
    options?: ApplyOptions,
  ): Promise<JsonObject>;
  /** Sends an object to a collection or a subresource, such as a TokenRequest. */
  create(path: string, object: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** False when it does not exist. With a uid, only that object is deleted. */
  delete(
    path: string,
    uid: string | undefined,
    signal: AbortSignal,
    propagation?: "Background" | "Foreground",
  ): Promise<boolean>;
  /** How the API serves a kind; undefined when it does not. */
  findKind(
    kind: { readonly apiVersion: string; readonly kind: string },
    signal: AbortSignal,
  ): Promise<KubeKind | undefined>;
  /** Follows a collection until a call fails, which is thrown, or the signal aborts. */
  follow(path: string, query: Query, listener: KubeListener, signal: AbortSignal): Promise<void>;
}

export type OpenKube = (options: KubeClientOptions) => KubeClient;

export interface KubeClientOptions {
  readonly access: Omit<KubeAccess, "token" | "namespace" | "source">;
  /** Asked for each request, so that a token can be replaced while the client is used. */
  readonly token: () => Promise<string | undefined> | string | undefined;
  readonly fieldManager: string;
  /** Why a resolved address must not be called, or undefined to allow it. */
  readonly refuseAddress?: (address: string, host: string) => string | undefined;
}

export type Query = Readonly<Record<string, string>>;

export interface ApplyOptions {
  /** The server validates and answers, and stores nothing. */
  readonly isDryRun?: boolean;
  /** Whether fields of other managers are taken over; true unless given. */
  readonly isForced?: boolean;
}

export interface KubeKind {
  readonly plural: string;
  readonly isNamespaced: boolean;
}

export interface KubeList {
  readonly items: readonly JsonObject[];
  readonly resourceVersion: string;
  /** There are more items than were asked for. */
  readonly isPartial?: true;
}

export interface KubeListener {
  /** Everything that exists. */
  listed(items: readonly JsonObject[]): void;
  changed(type: "ADDED" | "MODIFIED" | "DELETED", object: JsonObject): void;
}

/** A refusal of the server, or a failure of the connection. */
export class KubeError extends Error {
  /** 0 when there was no answer. */
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "KubeError";
    this.status = status;
    this.reason = reason;
  }

  /** The same request fails again until a user changes it, its object or its rights. */
  get isFinal(): boolean {
    return this.status >= 400 && this.status < 500 && ![401, 408, 409, 429].includes(this.status);
  }
}
