// How the resources of a kind are kept in a service: which requests read, make, change and remove
// one, how it is named there, and what may be done with each of its fields. It is what an import of
// the service's own document proposes, what a person reviews and corrects, and all that the
// reconciler knows: there is no code for a service. Stored as the spec of a `RestKind` whose name
// is the id of the kind.
//
// Pointers are JSON Pointers into the object as the service has it (without its envelope), in which
// `*` stands for every key of a map or element of a list. Paths are templates: `{name}` is replaced
// by the parameter of that name, encoded.

import type { Json } from "../../kernel/json.ts";

export interface Binding {
  /** The name of the Connection, unless a resource names another. */
  readonly connection: string;
  /** Such as "/servers/{server_id}/zones/{zone_id}", below the base URL of the connection. */
  readonly item: string;
  /** Such as "/servers/{server_id}/zones": where objects are made and listed. */
  readonly collection?: string;
  readonly identity: Identity;
  readonly parent?: ParentLink;
  /** What parameters of the paths are, except the id and those of the parent. */
  readonly parameters?: { readonly [name: string]: ParameterSource };
  readonly operations: Operations;
  readonly fields: readonly FieldEntry[];
  /** Lists whose elements have a key; other lists are compared element by element, in order. */
  readonly lists?: readonly ListEntry[];
  readonly joins?: readonly Join[];
  /** It is no object of its own but an element of a list in that of its parent. */
  readonly element?: ElementOf;
  readonly longRunning?: LongRunning;
  readonly errors?: readonly ErrorRule[];
  /** CEL over `observed` and `joined`: whether it can be used; without one, whether it is there. */
  readonly ready?: string;
  /** CEL over `observed`: what is answered after a deletion means that it is gone. */
  readonly gone?: string;
  readonly adopt?: AdoptPolicy;
  readonly drift?: DriftPolicy;
  /** Where the service lets us write whose it is, such as "/tags/managed-by". */
  readonly ownerMarker?: string;
  readonly resyncSeconds?: number;
}

/** What a resource itself says, in its top-level field `connect`. */
export interface Management {
  readonly connection?: string;
  /** The id of an object that exists: it is adopted, never made. Fixed once set. */
  readonly id?: string;
  /** The resource of the kind in `Binding.parent`, in the same namespace. */
  readonly parent?: { readonly name: string };
  /** Of the paths, where the binding leaves them to the resource. */
  readonly parameters?: { readonly [name: string]: string };
  /** Values that are taken from Secrets of the namespace when they are sent. */
  readonly secrets?: readonly SecretField[];
  readonly manage?: ManagePolicy;
  readonly adopt?: AdoptPolicy;
  readonly drift?: DriftPolicy;
  /** Pointers of fields that somebody else owns: set at creation, then left as they are. */
  readonly leave?: readonly string[];
  /** Pointers of create-only fields: changing one removes the object and makes it anew. */
  readonly replace?: readonly string[];
  readonly resyncSeconds?: number;
}

/** "full": all. "observe": nothing is ever written. "keep": as full, but never deleted there. */
export type ManagePolicy = "full" | "observe" | "keep";
/** What to do when an object of that name exists already: "never" is a failure. */
export type AdoptPolicy = "never" | "ours" | "any";
/** A change by others of a field we set: put back, or only told. */
export type DriftPolicy = "correct" | "report";

export interface SecretField {
  /** Pointer of the field. */
  readonly field: string;
  readonly secret: string;
  readonly key: string;
}

export type Identity =
  /** We choose: the value of a field of the object (pointer), or the name of the resource. */
  (
    | { readonly kind: "client"; readonly field?: string; readonly parameter: string }
    /** The service chooses; its id is in the answer to the creation, or at the end of Location. */
    | { readonly kind: "server"; readonly field?: string; readonly parameter: string }
    /** Several fields together; parameter by pointer. */
    | { readonly kind: "composite"; readonly fields: { readonly [parameter: string]: string } }
    /** There is exactly one, at a fixed path. */
    | { readonly kind: "singleton" }
  ) & {
    /** How sure the import is; without it, it is. */
    readonly confidence?: number;
  };

export interface ParentLink {
  /** The id of its kind; undefined when it is not managed here and its id is a parameter. */
  readonly kind?: string;
  /** How many leading segments of `item` are the parent's. */
  readonly path: string;
}

export type ParameterSource =
  | { readonly value: string }
  /** Pointer into the object wanted. */
  | { readonly field: string }
  /** Given by each resource, in `connect.parameters`. */
  | { readonly given: true };

export interface Operations {
  readonly read?: Operation;
  readonly list?: ListOperation;
  readonly create?: WriteOperation;
  /** Replaces the whole. */
  readonly replace?: WriteOperation;
  /** Changes a part. */
  readonly patch?: PatchOperation;
  readonly delete?: Operation;
}

export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Only where it is not `item` (or `collection`, to list and to create by POST). */
  readonly path?: string;
  readonly query?: { readonly [name: string]: string };
  /** Pointer to where the object lies in the answer; "" when it is the answer. */
  readonly answer?: string;
}

export interface ListOperation extends Operation {
  /** Pointer to the list in the answer. */
  readonly items?: string;
  readonly paging?: Paging;
}

export type Paging =
  /** Pointer to the absolute or relative address of the next page. */
  | { readonly kind: "link"; readonly next: string }
  /** RFC 8288: `Link: <…>; rel="next"`. */
  | { readonly kind: "header" }
  /** Pointer to a token, sent back as a query parameter. */
  | { readonly kind: "token"; readonly token: string; readonly parameter: string }
  | { readonly kind: "number"; readonly parameter: string; readonly first: number };

export interface WriteOperation extends Operation {
  readonly mediaType?: string;
  /** Pointer to where the object is put in the request; "" when it is the request. */
  readonly body?: string;
  /** Fields that the request takes, the topmost only; without them all that may be written. */
  readonly takes?: readonly string[];
  /** Whether If-Match is honoured, as far as the document or a person tells. */
  readonly hasEtag?: boolean;
}

export interface PatchOperation extends WriteOperation {
  /** "merge": RFC 7396; "json": RFC 6902; "set": as merge, but a null does not remove. */
  readonly style: "merge" | "json" | "set";
  /** Pointers of fields that it puts in the place of what was there, instead of merging them. */
  readonly replaces?: readonly string[];
}

export type FieldClass = "writable" | "read-only" | "create-only" | "update-only" | "write-only";

export interface FieldEntry {
  readonly path: string;
  readonly class: FieldClass;
  /** Never shown, and compared by digest. */
  readonly isSecret?: boolean;
  /** What decided about `isSecret`. */
  readonly secretFrom?: SecretProvenance;
  /** The service fills it in when it is left out. */
  readonly isDefaulted?: boolean;
  readonly from: Provenance;
  /** What exactly told, in a few words: "readOnly in Zone", "in GET but not in PUT". */
  readonly why?: string;
  /** 1 is certain. */
  readonly confidence?: number;
}

export type Provenance = "annotation" | "difference" | "example" | "name" | "override";
export type SecretProvenance = Extract<Provenance, "annotation" | "name" | "override">;

export interface ListEntry {
  readonly path: string;
  /** Pointers into an element; none: the element itself is the key, so the list is a set. */
  readonly keys: readonly string[];
}

/** A second document about the same object, shown in `status.joined` under its name. */
export interface Join {
  readonly name: string;
  readonly path: string;
  readonly query?: { readonly [name: string]: string };
  readonly answer?: string;
}

export interface ElementOf {
  /** Pointer to the list in the document of the parent. */
  readonly list: string;
  /** Pointers into the element that tell it apart. */
  readonly keys: readonly string[];
  /** Elements are changed by commands: the element with one more field that says what to do. */
  readonly command?: { readonly field: string; readonly put: string; readonly delete: string };
}

export interface LongRunning {
  /** Where the address to ask is, besides the usual headers: pointer into the answer. */
  readonly address?: string;
  /** Pointer to the state in what is asked. */
  readonly state?: string;
  readonly succeeded?: readonly Json[];
  readonly failed?: readonly Json[];
  /** Pointer to the message of a failure. */
  readonly error?: string;
}

/** The first that fits counts, before the usual classification. */
export interface ErrorRule {
  readonly status?: number;
  /** The error code in the body. */
  readonly code?: string;
  /** A part of the message. */
  readonly contains?: string;
  readonly is: "soon" | "slow" | "never" | "absent" | "exists" | "busy";
}
