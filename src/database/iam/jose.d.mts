export { importPKCS8, SignJWT } from 'jose'
