// Names of fields whose values are credentials, for responses whose fields no RestKind classifies.

export const secretName = /secret|token|passw|(?:api|access|auth|private|session)[_-]?key/i;
