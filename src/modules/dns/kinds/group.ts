/** The API group of the kinds of this module. */
export const dnsGroup = "dns.setpoint.dev";
