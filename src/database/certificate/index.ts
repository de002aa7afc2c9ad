export { certificateSentence } from './sentence.ts'
export { type SeenCertificate, seeCertificate } from './server-certificate.ts'
