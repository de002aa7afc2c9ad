export { AwsV4Signer } from 'aws4fetch'
