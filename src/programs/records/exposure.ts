import type { Field } from "../model/program.ts";

/** What makes something of one's own visible, or open, to everybody. */
export const exposure: Field = {
  programs: () => [],
  operations: {
    "cloud.public": `
    aws s3api put-bucket-acl|put-object-acl | let everybody read | needs acl=public-* acl=authenticated-read
        grant-read=*Users* grant-write=*Users* grant-full-control=*Users* | safer aws s3api get-bucket-acl
    aws s3 cp|sync|mv | let everybody read | needs acl=public-* acl=authenticated-read grants=*Users* | safer aws s3 ls
    aws s3api put-bucket-policy | let everybody in | needs policy=*Principal*"[*]"* | safer aws s3api
        get-bucket-policy
    aws s3api|s3control put-public-access-block | lift the block of public access | needs
        public-access-block-configuration=*alse* | safer aws s3api get-public-access-block
    aws ec2 modify-image-attribute | let everybody start the image | needs launch-permission=*all*
    aws ec2 modify-snapshot-attribute | let everybody copy the snapshot | needs group-names=all
    aws rds modify-db-snapshot-attribute|modify-db-cluster-snapshot-attribute | let everybody copy the snapshot | needs
        values-to-add=all
    aws rds modify-db-instance|create-db-instance | open the database to the internet | needs publicly-accessible
    aws ec2 authorize-security-group-ingress | open a port to the internet | needs cidr=0.0.0.0/0 cidr-ipv6=::/0
        ip-permissions=*0.0.0.0/0*
    aws lambda|sns|sqs add-permission | let everybody call it | needs principal=[*]
    gsutil iam ch allUsers:*|allAuthenticatedUsers:* | let everybody in | unless d | safer gsutil iam get
    gsutil acl|defacl ch | let everybody read | needs u=All*Users:* g=All*Users:* | safer gsutil acl get
    gsutil acl|defacl set public-*|authenticated-read | let everybody read | safer gsutil acl get
    gsutil cp|rsync|mv | let everybody read | needs a=public-* a=authenticated-read
    gcloud …add-iam-policy-binding | let everybody in | needs member=allUsers member=allAuthenticatedUsers
    gcloud …firewall-rules create|update | open a port to the internet | needs source-ranges=*0.0.0.0/0*
    az storage container set-permission|create | let everybody read | needs public-access=blob
        public-access=container
    az storage account create|update | let containers be public | needs allow-blob-public-access=true
    az network nsg rule create|update | open a port to the internet | needs source-address-prefixes=[*]
        source-address-prefixes=Internet source-address-prefixes=0.0.0.0/0 source-address-prefix=[*]
    doctl compute firewall create|add-rules | open a port to the internet | needs inbound-rules=*0.0.0.0/0*
    mc anonymous|policy set public|download|upload | let everybody in | safer mc anonymous get
    s3cmd setacl|put|sync|cp | let everybody read | needs acl-public P | safer s3cmd info
    gh|glab repo create | make a public repository | needs public visibility=public | safer gh repo create --private
    gh|glab api | make a repository public | needs f=visibility?public F=visibility?public f=private?false
        F=private?false raw-field=visibility?public field=private?false
    gh gist create | publish a gist | needs public p | safer gh gist list
    glab snippet create | publish a snippet | needs visibility=public
    `,
    publish: `
    gh|glab release create|upload | publish a release | unless draft d | safer gh release list
    gh release edit | publish a release | needs draft=false | safer gh release list
    gradle|gradlew …publish*|*:publish* | publish an artifact | free on *publishToMavenLocal | safer gradle
        publishToMavenLocal
    `,
  },
};
