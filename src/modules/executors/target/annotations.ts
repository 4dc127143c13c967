// Annotations by which an environment asks a target to do something. See the contract of targets in
// docs/reference/executors-services.md.

const group = "environments.setpoint.dev";

export const checkDriftAnnotation = `${group}/check-drift`;
export const reconcileDriftAnnotation = `${group}/reconcile-drift`;
export const cancelAnnotation = `${group}/cancel`;
export const forceCancelAnnotation = `${group}/force-cancel`;
