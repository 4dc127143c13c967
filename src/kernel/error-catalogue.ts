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
    summary: "The request cannot be understood.",
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
    summary: "None of the media types that the caller accepts can be produced.",
    action: "Accept application/json.",
  },
  "request.unsupported_media_type": {
    status: 415,
    retry: "never",
    summary: "The body is of a media type that this path does not read.",
    action: "Send one of the media types that the message names.",
  },
  "request.overloaded": {
    status: 429,
    retry: "backoff",
    summary: "More requests are waiting than the server, or this caller's share of it, accepts.",
    action: "Wait for the time in Retry-After, then try again.",
  },
  "request.timeout": {
    status: 504,
    retry: "backoff",
    summary: "The request did not finish within its time.",
    action: "Try again; a longer timeout or a smaller page may help.",
  },
  "resource.invalid": {
    status: 422,
    retry: "never",
    summary: "The document was understood but breaks a rule of its kind.",
    action: "Correct the fields listed in the details.",
  },
  "resource.not_found": {
    status: 404,
    retry: "never",
    summary: "There is no such resource.",
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
    action:
      "Give the child another name, or delete or hand over the resource that is in its place.",
  },
  "resource.protected": {
    status: 409,
    retry: "never",
    summary: "The resource is protected from deletion by an annotation.",
    action: "Remove the annotation setpoint.dev/deletion-protection, then delete it again.",
  },
  "resource.group_refused": {
    status: 409,
    retry: "after_read",
    summary: "Another write of the same atomic group was refused, so none was performed.",
    action: "Look at the refused write named in the details; correct it and send the group again.",
  },
  "apply.conflict": {
    status: 409,
    retry: "after_read",
    summary: "Fields of the apply are owned by other field managers with other values.",
    action: "Take the owners' values, leave the fields out, or apply with force.",
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
    summary: "The write would take a quota or a capacity over its limit.",
    action: "Free some of the counted resource, or ask for a higher limit.",
  },
  "claim.lost": {
    status: 409,
    retry: "never",
    summary: "The worker no longer holds the lease under which it tried to write.",
    action: "None: whoever holds the lease now continues the work.",
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
    summary: "The revision asked for has not been reached yet.",
    action: "Try again shortly; check that the revision comes from this store.",
  },
  "store.overloaded": {
    status: 429,
    retry: "backoff",
    summary: "More writes are waiting than the store accepts.",
    action: "Slow down and try again.",
  },
  "store.unavailable": {
    status: 503,
    retry: "backoff",
    summary: "The database cannot be reached; nothing was written.",
    action: "Try again; if it lasts, check the database.",
  },
  "store.outcome_unknown": {
    status: 503,
    retry: "after_check",
    summary: "The connection broke during the commit, which may or may not have happened.",
    action: "Read the resource before trying again.",
  },
  "store.full": {
    status: 507,
    retry: "backoff",
    summary: "The disk under the database is full; nothing was written.",
    action: "Free room on the disk. A server that runs then goes on by itself.",
  },
  "store.read_only": {
    status: 503,
    retry: "backoff",
    summary: "The store accepts no writes at the moment.",
    action: "Write to the primary, or end the read-only mode.",
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
    action: "Name the right place with --data or --store, or restore a backup.",
  },
  "store.schema_too_new": {
    status: 500,
    retry: "never",
    summary: "The database was written by a newer version that this one cannot work with.",
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
    summary: "The file of the backup cannot be written. An older backup in its place is untouched.",
    action: "Make room or mend the rights where the message says, or write it elsewhere.",
  },
  "secret.key_missing": {
    status: 500,
    retry: "never",
    summary: "The key that seals a secret value is not configured.",
    action: "Give the process the key named in the details.",
  },
  "secret.key_retired": {
    status: 500,
    retry: "never",
    summary: "The key ring of the process is out of date: its active key is retired.",
    action: "Copy the key ring of the server where the keys were rotated to this one.",
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
    summary: "A webhook that had to be called could not be reached or answered nonsense.",
    action: "Check the webhook named in the message; then try again.",
  },
  "server.unreachable": {
    status: 503,
    retry: "backoff",
    summary: "A command did not get an answer that it can use from the server.",
    action: "Check that the server runs, and that the kubeconfig names its address.",
  },
  "file.forbidden": {
    status: 500,
    retry: "never",
    summary: "The user of the process may not open a file or enter a folder that it needs.",
    action: "Run it as the owner of the folder, or give the folder and its files to this user.",
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
    summary: "Setpoint has a bug or met a state it does not know.",
    action: "Report it together with the log of this request.",
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof catalogue;
