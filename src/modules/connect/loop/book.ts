// What the loop must not forget about an object, kept in `status.connect` where everybody can see
// it. People can write a status, too, so nothing in it is trusted to have its shape. Changes are
// gathered and stored together, or at once where the next step must not happen without them.

import { isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import {
  objectAt,
  objectsAt,
  presentObjectAt,
  textAt,
  textsAt,
} from "../../../kernel/json-read.ts";
import { makeMergePatch } from "../../../kernel/merge-patch.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { withoutNulls } from "../plan/documents.ts";

/** All parts are JSON as they are stored. */
export interface BookPages {
  readonly id?: string;
  /** Of the item, with all parameters in it, below the base URL. */
  readonly path?: string;
  readonly connection?: string;
  /** The base URL where the object was made or seen last. */
  readonly service?: string;
  /** It existed before us. */
  readonly adopted?: boolean;
  readonly lastApplied?: JsonObject;
  readonly knownDifferences?: readonly JsonObject[];
  /** A creation that was begun, and of which nobody knows yet what came. */
  readonly creating?: JsonObject;
  /** A creation that was confirmed, until a read shows the object; see `created.ts`. */
  readonly created?: JsonObject;
  /** A change that may have given it another id, and of which nobody knows yet what came. */
  readonly renaming?: JsonObject;
  /** A long-running operation of the service. */
  readonly operation?: JsonObject;
  /** It is removed to be made anew: that it is gone is no news then. */
  readonly replacing?: JsonObject;
  readonly lastWrite?: JsonObject;
  /** A field became secret, and its earlier values are not erased yet; see `sealing.ts`. */
  readonly sealing?: JsonObject;
  /** Pointers of fields that a PATCH was seen to replace, instead of merging them. */
  readonly replaces?: readonly string[];
  /** Fields that were written and are not shown. */
  readonly unshown?: JsonObject;
  readonly drift?: readonly JsonObject[];
}

export type BookChange = { readonly [K in keyof BookPages]?: BookPages[K] | undefined };

export class Book {
  #stored: JsonObject;
  #now: JsonObject;
  readonly #store: (fields: JsonObject) => Promise<void>;

  readonly #isPath: (path: string) => boolean;

  constructor(
    resource: Resource,
    ports: {
      readonly store: (fields: JsonObject) => Promise<void>;
      /** Whether a path can be that of the object; one that cannot counts as none. */
      readonly isPath: (path: string) => boolean;
    },
  ) {
    const { status } = resource;
    this.#stored = isJsonObject(status) ? status : {};
    this.#now = this.#stored;
    this.#store = ports.store;
    this.#isPath = ports.isPath;
  }

  get pages(): BookPages {
    const own = objectAt(this.#now, "connect");
    const id = textAt(own, "id");
    const path = textAt(own, "path");
    const lastApplied = presentObjectAt(own, "lastApplied");
    const creating = presentObjectAt(own, "creating");
    const created = presentObjectAt(own, "created");
    const renaming = presentObjectAt(own, "renaming");
    const operation = presentObjectAt(own, "operation");
    const replacing = presentObjectAt(own, "replacing");
    const lastWrite = presentObjectAt(own, "lastWrite");
    const sealing = presentObjectAt(own, "sealing");
    const unshown = presentObjectAt(own, "unshown");
    const service = textAt(own, "service");
    return {
      ...(id === "" ? {} : { id }),
      ...(path.startsWith("/") && this.#isPath(path) ? { path } : {}),
      connection: textAt(own, "connection"),
      ...(service === "" ? {} : { service }),
      adopted: own["adopted"] === true,
      ...(lastApplied === undefined ? {} : { lastApplied }),
      knownDifferences: objectsAt(own, "knownDifferences"),
      replaces: textsAt(own, "replaces"),
      ...(creating === undefined ? {} : { creating }),
      ...(created === undefined ? {} : { created }),
      ...(renaming === undefined ? {} : { renaming }),
      ...(operation === undefined ? {} : { operation }),
      ...(replacing === undefined ? {} : { replacing }),
      ...(lastWrite === undefined ? {} : { lastWrite }),
      ...(sealing === undefined ? {} : { sealing }),
      ...(unshown === undefined ? {} : { unshown }),
      drift: objectsAt(own, "drift"),
    };
  }

  /** A path is noted that cannot be that of the object. */
  get hasWrongPath(): boolean {
    return textAt(this.#now, "connect", "path") !== "" && this.pages.path === undefined;
  }

  /** Another part of the status: what was observed, what was joined. */
  part(name: "observed" | "joined"): JsonObject {
    return objectAt(this.#now, name);
  }

  set(change: BookChange): void {
    const own: { [key: string]: Json } = { ...objectAt(this.#now, "connect") };
    for (const [key, value] of Object.entries(change)) {
      const isNothing = value === undefined || (Array.isArray(value) && value.length === 0);
      if (isNothing) delete own[key];
      else own[key] = withoutNulls(value);
    }
    this.#now = { ...this.#now, connect: own };
  }

  setPart(name: "observed" | "joined", value: JsonObject): void {
    this.#now = { ...this.#now, [name]: withoutNulls(value) };
  }

  /** What has changed since the last store, as a merge patch of the status. */
  changes(): JsonObject {
    const patch = makeMergePatch(this.#stored, this.#now);
    return isJsonObject(patch) ? patch : {};
  }

  /** Stores all changes before anything else happens. */
  async keep(): Promise<void> {
    const patch = this.changes();
    if (Object.keys(patch).length > 0) await this.#store(patch);
    this.#stored = this.#now;
  }
}
