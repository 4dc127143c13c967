// Every bound that Connect keeps.

const mib = 1_048_576;

export const connectLimits = {
  // Documents of services that are imported
  /** Bytes of one file of a document, and of all its files together. */
  maxFileBytes: 32 * mib,
  maxDocumentBytes: 256 * mib,
  /** Files of one document, with its examples. */
  maxFiles: 5_000,
  /** Values in all files of one document. */
  maxNodes: 8_000_000,
  /** Aliases in one YAML file. Some documents repeat the same answers for each operation. */
  maxAliases: 2_000,
  /** Length of a chain of references. */
  maxRefs: 64,
  /** Fields of one object, and its levels. Deeper fields are not distinguished. */
  maxFields: 1_500,
  maxLevels: 16,
  /** Parts of one schema that allOf, oneOf, anyOf and discriminators combine. */
  maxParts: 512,
  /** Problems of one document that are reported. */
  maxProblems: 500,
  /** How long the server of a document may take to answer with one file. */
  readTimeoutMs: 30_000,

  // Services that are managed
  /** Keys of one object in a response; parsing more of them blocks other work. */
  maxAnswerKeys: 100_000,
  /**
   * Characters of a text that is searched for other forms of a value, such as a mask. Regular
   * expressions fail for texts of several megabytes.
   */
  maxFormChars: 65_536,
  /** Values in one object; to compare and store more of them blocks other work. */
  maxObjectValues: 25_000,
} as const;
