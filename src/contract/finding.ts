/** What `setpoint doctor` reports about one subject. */
export interface Finding {
  readonly level: "ok" | "warn" | "bad";
  readonly subject: string;
  readonly message: string;
  readonly suggestion?: string;
}
