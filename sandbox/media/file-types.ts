/** The numbers of file types are the sandbox's own: the platform shows none (platform contract ENU-27). */
const FILE_TYPES: Readonly<Record<string, number>> = { md: 1, txt: 2, html: 3, htm: 3, pdf: 4, docx: 5 };

export const fileType = (extension: string): number => FILE_TYPES[extension] ?? 0;

/** The preview id differs from the document id on purpose: a client must take it from the details (platform contract MED-5). */
export const previewId = (document: string): string => `9${document}`;
export const previewedDocument = (id: string): string => id.slice(1);
