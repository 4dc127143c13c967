// Every bound that the module keeps.

export const dnsLimits = {
  /** Characters of a name, without its last dot, and of a label of it. */
  maxNameChars: 253,
  maxLabelChars: 63,
  /** Values of one record. */
  maxValues: 64,
  /** Bytes of one value of type TXT. */
  maxTextBytes: 4_000,
  /** A week. Resolvers shorten longer times. */
  maxTtlSeconds: 604_800,
  /**
   * Bytes of an answer of the server. PowerDNS before 4.9.3 answers with the comments of the whole
   * zone, which are about 200 bytes for each record.
   */
  maxAnswerBytes: 33_554_432,
  /** How long the server may take for one request. */
  callTimeoutMs: 10_000,
  /** How often a settled record is compared with the server, unless its zone states it. */
  resyncSeconds: 600,
} as const;
