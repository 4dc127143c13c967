// The annotations by which people steer what the server does with a resource. They are part of the
// product's interface and are read on both sides of the write path, so they have one home below.

/** Annotations of a resource. */
export const annotations = {
  /** Any value but "false": nothing runs, not even a deletion, until it is removed. */
  paused: "setpoint.dev/paused",
  /** "manage" (all), "skip" (look only, leave it on deletion), "detach-on-delete". */
  policy: "setpoint.dev/policy",
  /** Any new value asks for a run now; it is echoed in status.reconcile.handledRequest. */
  request: "setpoint.dev/reconcile",
  /** Of W3C: names the trace of the request, for those who look for what was done about it. */
  traceparent: "setpoint.dev/traceparent",
  /** Any value but "false": a deletion is refused. */
  protected: "setpoint.dev/deletion-protection",
  /** On a namespace: how much more than others it may run at a time. */
  weight: "setpoint.dev/weight",
  /** On a definition: its resources have a reconciler, so every write of one makes it due. */
  reconciled: "setpoint.dev/reconciled",
  /** On a definition: the module that made it, and the version it had then. */
  module: "setpoint.dev/module",
  moduleVersion: "setpoint.dev/module-version",
} as const;
