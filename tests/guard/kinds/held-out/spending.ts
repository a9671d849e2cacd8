import type { Grammar } from "../../families/generate.ts";
import { PARTS as SHARED } from "../spending.ts";

export const HELD_OUT: Grammar = {
  ...SHARED,
  form: [
    "oci compute instance launch --shape VM.GPU.A10.1 --display-name «name»«n» -c c --availability-domain a --image-id i",
    "ibmcloud is instance-create «name»«n» vpc us-south-1 bx2-8x32 subnet",
    "scw instance server create type=GP1-XL name=«name»«n»",
    "runpodctl create pod --gpuType 'NVIDIA A100' --gpuCount «n» --imageName x",
    "vastai create instance «n» --image pytorch",
    "modal run --detach train.py --gpus «n»",
    "sky launch -c «name»«n» --gpus A100:8 task.yaml",
    "lambda-cloud instance create --type gpu_8x_a100 --name «name»«n»",
    "twilio phone-numbers:buy:local --country-code US --area-code «n»00",
    "stripe charges create --amount=«n»000 --currency=usd --source=tok_visa",
    "stripe subscriptions create --customer cus_«n» -d 'items[0][price]=p'",
    "namecheap-cli domains create «name»«n».com",
    "vercel domains buy «name»«n».com",
    "az reservations reservation-order purchase --reservation-order-id r«n»",
    "gcloud compute commitments create c«n» --plan=12-month --resources=vcpu=«n»,memory=8GB",
    "databricks clusters create --json '{\"num_workers\":«n»}'",
    "snowsql -q \"CREATE WAREHOUSE w«n» WAREHOUSE_SIZE='4X-LARGE'\"",
    "confluent kafka cluster create «name»«n» --type dedicated --cku «n» --cloud aws --region us-east-1",
    "atlas clusters create «name»«n» --tier M60 --provider AWS",
    "openai api fine_tuning.jobs.create -m gpt-4o -F data«n».jsonl",
  ],
};

export const HELD_OUT_ORDINARY: Grammar = {
  ...SHARED,
  form: [
    "oci compute instance list -c c --limit «n»",
    "scw instance server list name=«name»«n»",
    "runpodctl get pod «n»",
    "vastai search offers 'num_gpus=«n»'",
    "sky status «name»«n»",
    "stripe charges list --limit=«n»",
    "vercel domains ls",
    "vercel domains inspect «name»«n».com",
    "databricks clusters list",
    "atlas clusters describe «name»«n»",
    "confluent kafka cluster list",
    "modal app list",
    "docker run --rm --cpus «n» alpine true",
    "multipass launch --name «name»«n»",
  ],
};
