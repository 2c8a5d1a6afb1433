/** Address below the base of the page that shows a document to people. */
export const sharePath = (document: string): string => `/share/document/${document}`;
