/** The API group of the kinds of this module. */
export const executorsGroup = "executors.setpoint.dev";
