// Every operational error Setpoint can answer with. Keys are public API: never renamed, never
// reused. `retry` is all that workers read; `status` is a default that surfaces may refine.
// docs/reference/errors.md is written from this table, so summary and action are for people.

export type Retry = "never" | "after_read" | "backoff" | "after_check";

export interface CatalogueEntry {
  readonly status: number;
  /** never: the same request fails again. after_read: read, decide again, then write.
   *  backoff: the same request may succeed later. after_check: it may already have succeeded. */
  readonly retry: Retry;
  readonly summary: string;
  readonly action: string;
}

export const catalogue = {
  "request.invalid": {
    status: 400,
    retry: "never",
    summary: "The request is malformed.",
    action: "Correct the part of the request that the message names.",
  },
  "request.too_large": {
    status: 413,
    retry: "never",
    summary: "The request, or the document it would produce, is over a size limit.",
    action: "Send less, or split the document into several resources.",
  },
  "request.unauthenticated": {
    status: 401,
    retry: "never",
    summary: "The credentials are missing, wrong, expired or revoked.",
    action: "Log in again, or send a valid token or client certificate.",
  },
  "request.forbidden": {
    status: 403,
    retry: "never",
    summary: "The caller is known but may not do this.",
    action: "Ask for a role that allows the verb on the resource that the message names.",
  },
  "request.method_not_allowed": {
    status: 405,
    retry: "never",
    summary: "The path exists but does not accept this method.",
    action: "Use a method that the path supports.",
  },
  "request.not_acceptable": {
    status: 406,
    retry: "never",
    summary: "The server cannot produce any media type that the caller accepts.",
    action: "Accept application/json.",
  },
  "request.unsupported_media_type": {
    status: 415,
    retry: "never",
    summary: "The path does not support the media type of the body.",
    action: "Send one of the media types that the message names.",
  },
  "request.overloaded": {
    status: 429,
    retry: "backoff",
    summary: "Too many requests are waiting, from this caller or in total.",
    action: "Wait for the time in Retry-After, then try again.",
  },
  "request.body_timeout": {
    status: 408,
    retry: "backoff",
    summary: "The body of the request arrived too slowly.",
    action: "Send the body without pauses; see the limits of the reference.",
  },
  "request.timeout": {
    status: 504,
    retry: "backoff",
    summary: "The request timed out.",
    action: "Try again; a longer timeout or a smaller page may help.",
  },
  "module.unavailable": {
    status: 503,
    retry: "backoff",
    summary: "A module did not answer in time, or its thread was stopped.",
    action: "Try again; if it persists, the log names the module and the cause.",
  },
  "route.not_found": {
    status: 404,
    retry: "never",
    summary: "The REST API has no such path.",
    action: "See /api/v1/doc for the paths of the REST API.",
  },
  "precondition.failed": {
    status: 412,
    retry: "after_read",
    summary: "The resource is not at the revision that If-Match names.",
    action: "Read the resource again, and send the ETag of that response as If-Match.",
  },
  "precondition.required": {
    status: 428,
    retry: "after_read",
    summary: "The request must name the revision that it replaces, with If-Match.",
    action: "Read the resource, and send the ETag of that response as If-Match.",
  },
  "idempotency.mismatch": {
    status: 422,
    retry: "never",
    summary: "The Idempotency-Key was used before, for another request.",
    action: "Use a new key for each request, and the same key only to repeat a request unchanged.",
  },
  "idempotency.in_progress": {
    status: 409,
    retry: "backoff",
    summary: "A request with the same Idempotency-Key is in progress.",
    action: "Wait for the time in Retry-After, then send the same request again.",
  },
  "idempotency.outcome_unknown": {
    status: 409,
    retry: "after_check",
    summary: "The server ended during the first request with this Idempotency-Key.",
    action: "Read the resource; if the change is missing, send it with If-Match and a new key.",
  },
  "resource.invalid": {
    status: 422,
    retry: "never",
    summary: "The document was understood but breaks a rule of its kind.",
    action: "Correct the fields that the message or the details name.",
  },
  "resource.not_found": {
    status: 404,
    retry: "never",
    summary: "The resource does not exist.",
    action: "Check kind, namespace and name.",
  },
  "resource.already_exists": {
    status: 409,
    retry: "never",
    summary: "A resource with this kind, namespace and name already exists.",
    action: "Update the existing resource or choose another name.",
  },
  "resource.conflict": {
    status: 409,
    retry: "after_read",
    summary: "The resource has changed since it was read: the revision precondition failed.",
    action: "Read the resource again, repeat the change on the new state, and write that.",
  },
  "resource.not_owned": {
    status: 409,
    retry: "never",
    summary: "A reconciler may only change the resources that its own resource owns.",
    action: "Choose another name for the child, or delete the existing resource with that name.",
  },
  "resource.protected": {
    status: 409,
    retry: "never",
    summary: "The resource is protected from deletion by an annotation.",
    action: "Remove the annotation setpoint.dev/deletion-protection, then repeat the deletion.",
  },
  "kind.incompatible": {
    status: 409,
    retry: "never",
    summary: "The new schema of a module's kind does not accept stored resources.",
    action:
      "Add `migrate` to the kind, or correct the resources; see docs/how-to/change-a-kind.md.",
  },
  "resource.group_refused": {
    status: 409,
    retry: "after_read",
    summary: "Another write of the same atomic group was refused, so none was performed.",
    action: "Correct the refused write that the details name, and send the group again.",
  },
  "apply.conflict": {
    status: 409,
    retry: "after_read",
    summary: "Other field managers own some of the applied fields, with other values.",
    action: "Use the owners' values, omit the fields, or apply with force.",
  },
  "name.taken": {
    status: 409,
    retry: "never",
    summary: "A name that must be unique is held by another resource.",
    action: "Choose another name, or delete the resource that holds it.",
  },
  "counter.exceeded": {
    status: 403,
    retry: "never",
    summary: "The write would exceed a quota or a capacity limit.",
    action: "Delete some of the counted resources, or request a higher limit.",
  },
  "claim.lost": {
    status: 409,
    retry: "never",
    summary: "The worker no longer holds the lease under which it tried to write.",
    action: "None: the worker that holds the lease now continues the work.",
  },
  "history.gone": {
    status: 410,
    retry: "after_read",
    summary: "The history at this revision has been compacted.",
    action: "List again and watch from the revision of that list.",
  },
  "revision.future": {
    status: 504,
    retry: "backoff",
    summary: "The requested revision has not been reached yet.",
    action: "Try again shortly; check that the revision comes from this store.",
  },
  "store.overloaded": {
    status: 429,
    retry: "backoff",
    summary: "More writes are waiting than the store accepts.",
    action: "Retry with exponential backoff.",
  },
  "store.unavailable": {
    status: 503,
    retry: "backoff",
    summary: "The database cannot be reached; nothing was written.",
    action: "Retry; if the error persists, check the database.",
  },
  "store.outcome_unknown": {
    status: 503,
    retry: "after_check",
    summary: "The connection broke during the commit. The write may or may not have taken effect.",
    action: "Read the resource before trying again.",
  },
  "store.full": {
    status: 507,
    retry: "backoff",
    summary: "The disk under the database is full; nothing was written.",
    action: "Free disk space. A running server then continues without a restart.",
  },
  "store.read_only": {
    status: 503,
    retry: "backoff",
    summary: "The store refuses writes.",
    action: "Write to the primary database, or turn its read-only mode off.",
  },
  "store.corrupt": {
    status: 500,
    retry: "never",
    summary: "The stored data is damaged.",
    action: "Stop writing, keep a copy of the files, and restore the last good backup.",
  },
  "store.missing": {
    status: 500,
    retry: "never",
    summary: "There is no database where one is expected.",
    action: "Set --data or --store to the location of the database, or restore a backup.",
  },
  "store.schema_too_new": {
    status: 500,
    retry: "never",
    summary: "The database was written by a newer release that this one does not support.",
    action: "Run the newer version of Setpoint.",
  },
  "store.locked": {
    status: 503,
    retry: "never",
    summary: "Another process has the embedded store open.",
    action: "Stop the other process, or use PostgreSQL to run several.",
  },
  "store.linked": {
    status: 503,
    retry: "never",
    summary: "The file of the embedded store has several names (hard links).",
    action: "Stop every process that has it open, then remove the other names.",
  },
  "store.closed": {
    status: 503,
    retry: "backoff",
    summary: "The store is closed because the process is stopping.",
    action: "Try again against a process that is running.",
  },
  "store.not_empty": {
    status: 409,
    retry: "never",
    summary: "A restore needs an empty store and this one holds data.",
    action: "Restore into a new folder (--data) or an empty database (--store).",
  },
  "store.not_primary": {
    status: 503,
    retry: "backoff",
    summary: "The store is a secondary, which accepts no writes.",
    action: "Send the write to the primary that the message names.",
  },
  "store.not_secondary": {
    status: 409,
    retry: "never",
    summary: "The store is a primary, which does not follow another store.",
    action: "Follow with a store that was seeded as a secondary, or demote this one first.",
  },
  "replication.invalid": {
    status: 409,
    retry: "after_read",
    summary: "A shipment of changes does not continue the store, or is not authentic.",
    action: "Ship again from the place of the secondary; check that both have the same keys.",
  },
  "replication.diverged": {
    status: 409,
    retry: "never",
    summary: "The secondary has changes that its primary does not have.",
    action: "Keep a backup of the secondary, and seed an empty store from the primary.",
  },
  "replication.behind": {
    status: 409,
    retry: "backoff",
    summary: "The secondary does not have all that its primary committed.",
    action: "Wait until it does; where the primary is lost, promote without its place.",
  },
  "replication.fenced": {
    status: 409,
    retry: "never",
    summary: "The changes come from a primary that was replaced by a promotion.",
    action: "Stop that primary, and seed its store again as a secondary of the new primary.",
  },
  "backup.invalid": {
    status: 400,
    retry: "never",
    summary: "The backup is incomplete, damaged, or not a backup.",
    action:
      "Use another backup; `setpoint restore` checks the whole file before it writes anything.",
  },
  "backup.not_written": {
    status: 500,
    retry: "never",
    summary: "The backup file cannot be written. An older backup with that name is unchanged.",
    action: "Free disk space or fix the permissions that the message names, or write it elsewhere.",
  },
  "secret.key_missing": {
    status: 500,
    retry: "never",
    summary: "The key that seals a secret value is not configured.",
    action: "Add the key that the details name to the key ring.",
  },
  "secret.key_retired": {
    status: 500,
    retry: "never",
    summary: "The key ring of the process is out of date: its active key is retired.",
    action: "Copy the key ring of the server where the keys were rotated to this one.",
  },
  "secret.erased": {
    status: 410,
    retry: "never",
    summary: "The values of this earlier state were erased.",
    action: "Read the current state, or restore a backup that was taken before the erasure.",
  },
  "secret.unsealable": {
    status: 500,
    retry: "never",
    summary: "A sealed value failed authentication: wrong key, wrong place, or changed bytes.",
    action: "Check the configured keys; if they are right, treat the value as tampered with.",
  },
  "webhook.failed": {
    status: 500,
    retry: "backoff",
    summary: "A required webhook could not be reached, or its response was not valid.",
    action: "Check the webhook named in the message; then try again.",
  },
  "broker.unavailable": {
    status: 503,
    retry: "backoff",
    summary: "The message broker cannot be reached, or refused the connection.",
    action: "Check the address, the credentials and the certificates of the section `bus`.",
  },
  "broker.conflict": {
    status: 409,
    retry: "never",
    summary: "The broker has an exchange or a queue of this name with other arguments.",
    action: "Delete the queue when it is empty, or configure another name.",
  },
  "server.unreachable": {
    status: 503,
    retry: "backoff",
    summary: "A command received no usable response from the server.",
    action: "Check that the server runs, and that the kubeconfig names its address.",
  },
  "file.forbidden": {
    status: 500,
    retry: "never",
    summary: "The user of the process has no permission for a file or folder that it needs.",
    action: "Run the process as the owner of the folder, or give the folder to its user.",
  },
  "file.exposed": {
    status: 500,
    retry: "never",
    summary: "Other users can write a key, a token or the database.",
    action: "Run the command that the message names, or use another folder with --data.",
  },
  "address.in_use": {
    status: 500,
    retry: "after_check",
    summary: "Another process listens on the address of the server.",
    action: "Stop that process, or choose another address with --listen HOST:PORT.",
  },
  "config.invalid": {
    status: 500,
    retry: "never",
    summary: "The configuration cannot be used.",
    action: "Correct the setting that the message names.",
  },
  internal: {
    status: 500,
    retry: "never",
    summary: "Setpoint has a bug or is in an unexpected state.",
    action: "Report it together with the log of this request.",
  },
} as const satisfies Record<string, CatalogueEntry>;

type OwnCodes = { readonly [Code in keyof typeof catalogue]: CatalogueEntry };

/** A module adds its own codes with `declare module`, and their entries with `defineErrors`. */
// oxlint-disable-next-line typescript/no-empty-object-type -- modules add their codes
export interface ErrorCodes extends OwnCodes {}

export type ErrorCode = keyof ErrorCodes;
