/** The API group of the kinds of this module. */
export const oidcGroup = "oidc.setpoint.dev";
